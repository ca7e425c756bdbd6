import type { Writable } from 'node:stream';

/** When the reader of standard error stands still, later lines are dropped rather than memory filled. */
const keptBytes = 8 * 1024 * 1024;

/**
 * Writes the operator's log. A reader that is gone or stands still costs its lines, and neither the process nor its end: an error
 * of the stream that nobody listens for would end the process in the middle of its shutdown.
 */
export function createStderrWriter(stderr: Writable): (text: string) => void {
  let isBroken = false;
  stderr.on('error', () => {
    isBroken = true;
  });
  return (text) => {
    if (!isBroken && stderr.writableLength < keptBytes) stderr.write(text);
  };
}
