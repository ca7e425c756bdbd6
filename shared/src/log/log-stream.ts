import { fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import pino from 'pino';

/** Lines are gathered for this long at most. A request never waits for its line. */
const gatherMs = 100;
const gatherBytes = 8 * 1024;
/** Where the reader does not read, later lines are dropped rather than memory filled. */
const keptBytes = 32 * 1024 * 1024;
/** Each turn of the event loop gives a file one write: the lines of some 500 requests. */
const writeBytes = 256 * 1024;
/** At the end, when no further line brings the next attempt. A pipe takes 64 KiB each time, and the end of the process waits for a second. */
const lastAttemptsEveryMs = 1;

/**
 * Opens a stream of lines to a file descriptor. A reader that dies or stops reading must not block a thread or delay the end of the process.
 *
 * Files are written by other threads. A pipe or socket answers at once, so it is tried by this thread, and again with each later line while
 * its reader is slow. sonic-boom's asynchronous mode would try it again after 100 ms only, and not before the event loop comes round. Under
 * a flood of requests, a reader that is ready for tens of megabytes would get 64 KiB of them.
 */
export function openLogStream(fd: number) {
  const isPipe = isPipeOrSocket(fd);
  // Lets the descriptor answer EAGAIN instead of blocking. The log alone does not keep a process alive.
  if (isPipe) new Socket({ fd, readable: false, writable: true }).unref();
  const destination = pino.destination({
    dest: fd,
    sync: isPipe,
    // Without a minimum length, `flush` does nothing.
    minLength: 1,
    maxLength: keptBytes,
    maxWrite: writeBytes,
    contentMode: 'buffer',
    // Otherwise the synchronous mode sleeps for 100 ms, again and again: https://github.com/pinojs/sonic-boom/issues/65
    retryEAGAIN: () => false,
  }) as Destination;
  // The listener of pino would keep what waits for a reader that is gone: https://github.com/pinojs/pino/issues/2351
  destination.removeAllListeners('error');
  destination.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EAGAIN' && !destination.destroyed) destination.destroy();
  });

  let gathered = '';
  let ending: Promise<void> | null = null;
  function send(): void {
    if (gathered !== '' && !destination.destroyed) destination.write(Buffer.from(gathered));
    gathered = '';
  }
  function sendAll(): void {
    send();
    if (!destination.destroyed) destination.flush();
  }
  const timer = setInterval(sendAll, gatherMs).unref();
  // The lines that a crash leaves: 100 ms of them. A pipe takes what fits. A file is flushed by pino, after this.
  process.prependOnceListener('exit', sendAll);
  destination.once('close', () => {
    clearInterval(timer);
    process.removeListener('exit', sendAll);
  });

  return {
    /** Never waits. Drops the line where the reader is gone, or does not read and too much is buffered. */
    write(line: string): void {
      if (ending || destination.destroyed) return;
      // sonic-boom would count all bytes that wait for each line, and try a slow reader for each: 2 and 16 µs of a key request.
      if (gathered.length + line.length > gatherBytes) send();
      gathered += line;
    },
    /** Resolves once every line was handed to the operating system, or cannot be. Later lines are dropped. */
    end(): Promise<void> {
      ending ??= new Promise((resolve) => {
        send();
        if (destination.destroyed) return resolve();
        const attempts = setInterval(sendAll, lastAttemptsEveryMs);
        destination.once('close', () => {
          clearInterval(attempts);
          resolve();
        });
        destination.end();
      });
      return ending;
    },
  };
}

/** Adds the members that the declared type lacks. */
type Destination = ReturnType<typeof pino.destination> & {
  readonly destroyed: boolean;
  write(bytes: Buffer): boolean;
};

function isPipeOrSocket(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket();
}
