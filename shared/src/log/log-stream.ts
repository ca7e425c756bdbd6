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
/** Where the reader does not read, later lines are dropped rather than memory filled. */
const keptBytes = 32 * 1024 * 1024;

/**
 * Opens a stream of lines. A reader that dies or stops reading must not block a thread or delay the end of the process.
 * Pipes and sockets are therefore written without blocking, and the last lines are tried once at the exit.
 */
export function openLogStream(fd: number): LogStream {
  const isFile = !isPipeOrSocket(fd);
  let gathered = '';
  let isClosed = false;
  let ending: Promise<void> | null = null;

  function send(): void {
    if (gathered === '' || isClosed) return;
    const text = gathered;
    gathered = '';
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
  const { writer, stream } = openWriter({ fd, isFile, onGone: close });

  return {
    write(line) {
      if (isClosed || ending || writer.waiting() + gathered.length > keptBytes) return;
      // Characters, not bytes: counting those takes a tenth of a microsecond.
      if (gathered.length + line.length > gatherBytes) send();
      gathered += line;
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

function isPipeOrSocket(fd: number): boolean {
  const kind = fstatSync(fd);
  return kind.isFIFO() || kind.isSocket();
}

interface Output {
  fd: number;
  isFile: boolean;
  onGone: () => void;
}

function openWriter({ fd, isFile, onGone }: Output): { stream: Writable; writer: LogWriter } {
  if (isFile) {
    const stream = createWriteStream('', { fd, autoClose: false });
    return { stream: stream.on('error', onGone), writer: createFileWriter(stream) };
  }
  const socket = new Socket({ fd, readable: false, writable: true });
  // The log alone does not keep a process alive.
  socket.unref();
  return {
    stream: socket.on('error', onGone),
    writer: createPipeWriter({ fd, socket, onGone }),
  };
}
