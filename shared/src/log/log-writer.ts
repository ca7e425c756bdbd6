import { writeSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Writable } from 'node:stream';

/** How texts get to the system. */
export interface LogWriter {
  write(text: string): void;
  /** Gives the system what it has not taken yet. */
  flush(): void;
  /** About how many bytes the system has not taken yet. */
  waiting(): number;
  end(done: () => void): void;
}

/** For files, which the system always takes, in another thread. */
export function createFileWriter(stream: Writable): LogWriter {
  return {
    write: (text) => void stream.write(text),
    flush: () => {},
    waiting: () => stream.writableLength,
    end: (done) => void stream.end(done),
  };
}

/** Texts that were written are forgotten now and then: a slow reader may never take all that waits. */
const forgottenAtOnce = 256;
/** At the end, when no further text brings the next attempt. */
const lastAttemptsEveryMs = 10;

export interface PipeWriterOptions {
  fd: number;
  /** Holds the descriptor, which it has set to answer at once, and ends it. */
  socket: Socket;
  /** The reader is gone. Called once at most. */
  onGone: () => void;
}

/**
 * For pipes and sockets. Each text is a write of its own, tried at once, and again with each later text while the reader is slow.
 *
 * A stream would try again only once the event loop comes round. Under a flood of requests one turn of it writes tens of megabytes of lines,
 * and the stream would give 64 KiB of them to a reader that is ready for all.
 */
export function createPipeWriter(options: PipeWriterOptions): LogWriter {
  const { fd, socket } = options;
  let texts: (string | Uint8Array)[] = [];
  let next = 0;
  let waiting = 0;
  let isGone = false;

  function leave(): void {
    isGone = true;
    texts = [];
    next = 0;
    waiting = 0;
    options.onGone();
  }
  /** Gives the system what it takes now. */
  function pump(): void {
    while (next < texts.length && !isGone) {
      const text = texts[next] as string | Uint8Array;
      const written = tryToWrite(fd, text);
      if (written === 'gone') {
        leave();
        return;
      }
      const rest = cutStart(text, written);
      waiting -= text.length - (rest?.length ?? 0);
      if (rest) {
        texts[next] = rest;
        break;
      }
      next++;
    }
    if (next >= forgottenAtOnce || next === texts.length) {
      texts = texts.slice(next);
      next = 0;
    }
  }

  return {
    write(text) {
      if (isGone) return;
      texts.push(text);
      waiting += text.length;
      pump();
    },
    flush: pump,
    waiting: () => waiting,
    end(done) {
      const finish = () => {
        if (!isGone) return void socket.end(done);
        socket.destroy();
        done();
      };
      const attempt = () => {
        pump();
        if (texts.length === 0) return finish();
        setTimeout(attempt, lastAttemptsEveryMs);
      };
      attempt();
    },
  };
}

/** @returns how many bytes the system took; `gone` if nobody will read them */
function tryToWrite(fd: number, text: string | Uint8Array): number | 'gone' {
  try {
    return typeof text === 'string' ? writeSync(fd, text) : writeSync(fd, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EAGAIN' || code === 'EINTR' ? 0 : 'gone';
  }
}

/** @returns what is left without so many bytes; null if nothing is */
function cutStart(text: string | Uint8Array, bytes: number): string | Uint8Array | null {
  if (bytes === 0) return text;
  if (typeof text !== 'string') return bytes === text.length ? null : text.subarray(bytes);
  return bytes === Buffer.byteLength(text) ? null : Buffer.from(text).subarray(bytes);
}
