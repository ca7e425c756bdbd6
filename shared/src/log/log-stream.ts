import { createWriteStream, fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import type { Writable } from 'node:stream';

/** Lines on their way to a file descriptor. */
export interface LogStream {
  /** Never waits. Drops the line where the reader is gone, or does not read and too much is buffered. */
  write(line: string): void;
  /** Resolves once every line was handed to the operating system, or cannot be. Later lines are dropped. */
  end(): Promise<void>;
}

/** Lines are gathered for this long at most. A request never waits for its line. */
const gatherMs = 100;
const gatherBytes = 8 * 1024;
/** Where the reader does not read, later lines are dropped rather than memory filled. Processes that share a log divide it. */
const keptBytes = 32 * 1024 * 1024;

/**
 * PIPE_BUF of Linux: the system keeps a write of so many bytes together, whatever others write (pipe(7)). A Unix socket does too: it puts a
 * write that is smaller than half of its buffer into one piece (`unix_stream_sendmsg` in the kernel).
 */
export const longestSharedWrite = 4_096;

/**
 * Whether several processes may each write whole lines to this output by `openLogStream`, without breaking up the lines of others. Not to a
 * terminal or a TCP connection: both may take a part of a write.
 *
 * @param platform `process.platform`: elsewhere a pipe keeps less together
 */
export function canShareLog(output: { fd: number }, platform: NodeJS.Platform): boolean {
  if (platform !== 'linux') return false;
  const kind = fstatSync(output.fd);
  if (kind.isSocket()) return output instanceof Socket && output.remoteFamily === undefined;
  return kind.isFile() || kind.isFIFO();
}

/**
 * Opens a stream of lines. A reader that dies or stops reading must not block a thread or delay the end of the process.
 * Pipes and sockets are therefore written without blocking, and the last lines are tried once at the exit.
 *
 * @param processes how many processes write to it, each through this function (`canShareLog`)
 */
export function openLogStream(fd: number, processes = 1): LogStream {
  const { stream, isFile } = openStream(fd);
  const isInPieces = processes > 1 && !isFile;
  const mostGathered = isInPieces ? longestSharedWrite : gatherBytes;
  const mostKept = keptBytes / processes;
  const writer = isInPieces ? writeInPieces(stream) : writeAtOnce(stream);
  // Exact only where it must be: counting bytes takes a tenth of a microsecond.
  const sizeOf = isInPieces ? Buffer.byteLength : (line: string) => line.length;
  let gathered = '';
  let gatheredBytes = 0;
  let isClosed = false;
  let ending: Promise<void> | null = null;

  function send(): void {
    if (gathered === '' || isClosed) return;
    const text = gathered;
    gathered = '';
    gatheredBytes = 0;
    writer.write(text);
  }
  function sendAll(): void {
    send();
    writer.flush();
  }
  const timer = setInterval(sendAll, gatherMs);
  timer.unref();

  /**
   * The lines that a crash leaves: 100 ms of them. A file takes them at once. A pipe takes what fits, as the stream tries
   * that first.
   */
  function leave(): void {
    if (isFile) tryToWrite(fd, gathered);
    else sendAll();
  }
  process.once('exit', leave);

  function close(): void {
    isClosed = true;
    gathered = '';
    clearInterval(timer);
    process.removeListener('exit', leave);
  }
  // A reader that left (a closed pipe) must not end the server.
  stream.on('error', close);

  return {
    write(line) {
      if (isClosed || ending || writer.waiting() + gatheredBytes > mostKept) return;
      const size = sizeOf(line);
      if (gatheredBytes + size > mostGathered) send();
      gathered += line;
      gatheredBytes += size;
    },
    end() {
      ending ??= new Promise((resolve) => {
        if (isClosed) return resolve();
        send();
        stream.once('close', resolve);
        writer.end(() => {
          close();
          resolve();
        });
      });
      return ending;
    },
  };
}

function tryToWrite(fd: number, text: string): void {
  try {
    writeSync(fd, text);
  } catch {
    // The disk is full: the process ends anyway.
  }
}

/** How texts get into a stream. */
interface Writer {
  /** It may keep the text until the next call, or the next `flush`. */
  write(text: string): void;
  flush(): void;
  /** About how many bytes the system has not taken yet. */
  waiting(): number;
  end(done: () => void): void;
}

function writeAtOnce(stream: Writable): Writer {
  return {
    write: (text) => void stream.write(text),
    flush: () => {},
    waiting: () => stream.writableLength,
    end: (done) => void stream.end(done),
  };
}

/** So many pieces are written one after the other, so that the reader wakes up once for them. */
const piecesAtOnce = 8;
const forgottenAtOnce = 256;

/** Each text is a write of its own. The stream would join those that wait into one, which the system may take in part. */
function writeInPieces(stream: Writable): Writer {
  let texts: string[] = [];
  let next = 0;
  let bytes = 0;
  let whenEmpty = () => {};

  function pump(): void {
    if (stream.destroyed) next = texts.length;
    while (next < texts.length && stream.writableLength === 0) {
      const text = texts[next++] as string;
      bytes -= text.length;
      stream.write(text, pump);
    }
    // What was written is forgotten now and then: a slow reader may never take all that waits.
    if (next >= forgottenAtOnce || next === texts.length) {
      texts = texts.slice(next);
      next = 0;
    }
    if (texts.length === 0 && stream.writableLength === 0) whenEmpty();
  }
  return {
    write(text) {
      texts.push(text);
      bytes += text.length;
      if (texts.length - next >= piecesAtOnce) pump();
    },
    flush: pump,
    waiting: () => bytes + stream.writableLength,
    end(done) {
      // Not `end` of the stream: it would shut a socket down for the other processes too.
      whenEmpty = () => {
        stream.destroy();
        done();
      };
      pump();
    },
  };
}

function openStream(fd: number): { stream: Writable; isFile: boolean } {
  const kind = fstatSync(fd);
  if (kind.isFIFO() || kind.isSocket()) {
    const stream = new Socket({ fd, readable: false, writable: true });
    // The log alone does not keep a process alive.
    stream.unref();
    return { stream, isFile: false };
  }
  return { stream: createWriteStream('', { fd, autoClose: false }), isFile: kind.isFile() };
}
