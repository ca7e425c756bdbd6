import pino from 'pino';
import type { HidePersons } from './hide-persons.ts';
import { longestSharedWrite, openLogStream } from './log-stream.ts';
import type { ProcessIdentity } from './process-identity.ts';
import type { RequestLine } from './request-line.ts';

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
  /**
   * How many processes write to it (`canShareLog`). With more than one, a line of over 4,096 bytes has its path and its user agent cut.
   * Default: 1.
   */
  processes?: number;
}

/** Writes request lines to a file descriptor, 1 being standard output. */
export function createRequestLog(
  level: string,
  fd: number,
  { identity, hidePersons = null, processes = 1 }: RequestLogOptions = {},
): RequestLog {
  const stream = openLogStream(fd, processes);
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  const timestamp = createTimestamp();
  // What is the same in every line is written once. It costs a line no time.
  const constant = identity ? `,${JSON.stringify(identity).slice(1, -1)}` : '';
  const heads = { error: `{"level":"error"${constant}`, info: `{"level":"info"${constant}` };
  // Building the whole line as one text takes a third of the time that the logger takes member by member.
  const textOf = (own: keyof typeof heads, line: RequestLine) =>
    `${heads[own]}${timestamp()},${JSON.stringify(line).slice(1)}\n`;
  return {
    write(given) {
      const line = hidePersons ? hidePersons(given) : given;
      const own = line.status >= 500 ? 'error' : 'info';
      if ((pino.levels.values[own] ?? 0) < least) return;
      const text = textOf(own, line);
      const isTooLong = processes > 1 && isLongerThan(longestSharedWrite, text);
      stream.write(isTooLong ? textOf(own, cut(line)) : text);
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

/** Counts only where the length leaves it open: a UTF-16 unit takes 3 bytes at most. */
function isLongerThan(bytes: number, text: string): boolean {
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes;
}

/**
 * What is left of the texts without a limit of their own. All are Latin-1 or redacted ASCII, so in JSON a character takes 2 bytes at most. A
 * viewer's id takes 2,048 at most, what names the process and the trace some 220, and the rest of a line some 500.
 */
const cutLengths = { path: 300, userAgent: 150, cause: 120 } as const;

/** Cuts what makes a line too long: the URL and the user agent may take 16 KiB. */
function cut(line: RequestLine): RequestLine {
  const start = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);
  const { path, userAgent, failure } = line;
  return {
    ...line,
    path: start(path, cutLengths.path),
    userAgent: userAgent && start(userAgent, cutLengths.userAgent),
    ...(failure && { failure: { ...failure, cause: start(failure.cause, cutLengths.cause) } }),
  };
}
