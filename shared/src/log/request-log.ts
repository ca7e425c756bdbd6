import pino from 'pino';
import type { HidePersons } from './hide-persons.ts';
import { openLogStream } from './log-stream.ts';
import type { ProcessIdentity, RequestLine } from './request-line.ts';

export interface RequestLog {
  write(line: RequestLine): void;
  /** Hands every line to the operating system, and takes no more lines. For the end of the process. */
  flush(): void | Promise<void>;
}

interface RequestLogOptions {
  /** In every line. */
  identity?: ProcessIdentity | undefined;
  /** Null or left out: lines show persons in full. */
  hidePersons?: HidePersons | null;
}

/** Writes request lines to a file descriptor, 1 being standard output. */
export function createRequestLog(
  level: string,
  fd: number,
  { identity, hidePersons = null }: RequestLogOptions = {},
): RequestLog {
  const stream = openLogStream(fd);
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  const timestamp = createTimestamp();
  // The constant part of every line is built once, so that it costs a line no time.
  const constant = identity ? `,${JSON.stringify(identity).slice(1, -1)}` : '';
  const heads = { error: `{"level":"error"${constant}`, info: `{"level":"info"${constant}` };
  return {
    write(given) {
      const line = hidePersons ? hidePersons(given) : given;
      const own = line.status >= 500 ? 'error' : 'info';
      if ((pino.levels.values[own] ?? 0) < least) return;
      // Building the whole line as one text takes a third of the time that the logger takes member by member.
      stream.write(`${heads[own]}${timestamp()},${JSON.stringify(line).slice(1)}\n`);
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
