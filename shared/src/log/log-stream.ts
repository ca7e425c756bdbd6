import { createWriteStream, fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import type { Writable } from 'node:stream';
import { createFileWriter, createPipeWriter, type LogWriter } from './log-writer.ts';

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
  const isFile = !isPipeOrSocket(fd);
  const isInPieces = processes > 1 && !isFile;
  const mostGathered = isInPieces ? longestSharedWrite : gatherBytes;
  const mostKept = keptBytes / processes;
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
  const { writer, stream } = openWriter({ fd, isFile, isShared: isInPieces, onGone: close });

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

/** So many pieces are written one after the other, so that the reader wakes up once for them. */
const piecesAtOnce = 8;

function isPipeOrSocket(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket();
}

interface Output {
  fd: number;
  isFile: boolean;
  isShared: boolean;
  onGone: () => void;
}

function openWriter({ fd, isFile, isShared, onGone }: Output): { stream: Writable; writer: LogWriter } {
  if (isFile) {
    const stream = createWriteStream('', { fd, autoClose: false });
    return { stream: stream.on('error', onGone), writer: createFileWriter(stream) };
  }
  const socket = new Socket({ fd, readable: false, writable: true });
  // The log alone does not keep a process alive.
  socket.unref();
  const textsAtOnce = isShared ? piecesAtOnce : 1;
  return {
    stream: socket.on('error', onGone),
    writer: createPipeWriter({ fd, socket, textsAtOnce, isShared, onGone }),
  };
}
