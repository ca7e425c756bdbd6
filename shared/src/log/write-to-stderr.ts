import type { Writable } from 'node:stream';

/** Where the reader of standard error does not read, later lines are dropped rather than memory filled. */
const keptBytes = 8 * 1024 * 1024;

/**
 * Writes the operator's log. Where the reader is gone or stops reading, lines are lost, but the process runs and ends as
 * usual. A stream error without a listener would end the process in the middle of its shutdown.
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
