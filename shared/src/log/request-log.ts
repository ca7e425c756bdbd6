import { createWriteStream, fstatSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import process from 'node:process';
import type { Writable } from 'node:stream';
import pino from 'pino';

/** One line for one request (`docs/contract.md#request-log`). */
export interface RequestLine {
  requestId: string;
  method: string;
  /** The URL, with every query value hidden. */
  path: string;
  /** The pattern of the route; null where none matched. */
  route: string | null;
  status: number;
  durationMs: number;
  clientIp: string;
  userAgent: string | null;
  principal: { kind: string; id: string | null } | null;
  code: string | null;
}

export interface RequestLog {
  write(line: RequestLine): void;
  /** Hands every line to the operating system, and takes no more lines. For the end of the process. */
  flush(): void | Promise<void>;
}

/** Writes request lines to a file descriptor, 1 being standard output. */
export function createRequestLog(level: string, fd: number): RequestLog {
  const stream = openLogStream(fd);
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  const timestamp = createTimestamp();
  return {
    write(line) {
      const own = line.status >= 500 ? 'error' : 'info';
      if ((pino.levels.values[own] ?? 0) < least) return;
      // Building the whole line as one text takes a third of the time that the logger takes member by member.
      stream.write(`{"level":"${own}"${timestamp()},${JSON.stringify(line).slice(1)}\n`);
    },
    flush: () => stream.end(),
  };
}

/** The `time` member of a line. Formatted once for each millisecond, in which a busy server logs some thirty lines. */
function createTimestamp(): () => string {
  let atMs = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    if (nowMs !== atMs) {
      atMs = nowMs;
      text = `,"time":"${new Date(nowMs).toISOString()}"`;
    }
    return text;
  };
}

/** Lines on their way to a file descriptor. */
export interface LogStream {
  /** Never waits. Drops the line where the reader is gone, or does not read and too much is buffered. */
  write(line: string): void;
  /** Resolves once every line was handed to the operating system, or cannot be. Later lines are dropped. */
  end(): Promise<void>;
}

/** Lines are gathered for this long at most. A request never waits for its line. */
const gatherMs = 100;
const gatherLength = 8 * 1024;
/** Where the reader does not read, later lines are dropped rather than memory filled. */
const keptBytes = 32 * 1024 * 1024;

/**
 * Opens a stream of lines. A reader that dies or stops reading must not block a thread or delay the end of the process.
 * Pipes and sockets are therefore written without blocking, and the last lines are tried once at the exit.
 */
export function openLogStream(fd: number): LogStream {
  const { stream, isFile } = openStream(fd);
  let gathered = '';
  let isClosed = false;
  let ending: Promise<void> | null = null;

  function send(): void {
    if (gathered === '' || isClosed) return;
    const text = gathered;
    gathered = '';
    stream.write(text);
  }
  const timer = setInterval(send, gatherMs);
  timer.unref();

  /**
   * The lines that a crash leaves: 100 ms of them. A file takes them at once. A pipe takes what fits, as the stream tries
   * that first.
   */
  function leave(): void {
    if (isFile) {
      try {
        writeSync(fd, gathered);
      } catch {
        // The disk is full: the process ends anyway.
      }
    } else send();
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
      if (isClosed || ending || stream.writableLength + gathered.length > keptBytes) return;
      gathered += line;
      if (gathered.length >= gatherLength) send();
    },
    end() {
      ending ??= new Promise((resolve) => {
        if (isClosed) return resolve();
        send();
        stream.once('close', resolve);
        stream.end(() => {
          close();
          resolve();
        });
      });
      return ending;
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
