import pino from 'pino';
import { longestSharedWrite, openLogStream } from './log-stream.ts';

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

/**
 * Writes request lines to a file descriptor, 1 being standard output.
 *
 * @param processes how many processes write to it (`canShareLog`). With more than one, a line of over 4,096 bytes has its path and its
 *   user agent cut
 */
export function createRequestLog(level: string, fd: number, processes = 1): RequestLog {
  const stream = openLogStream(fd, processes);
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  const timestamp = createTimestamp();
  // Building the whole line as one text takes a third of the time that the logger takes member by member.
  const textOf = (level: string, line: RequestLine) =>
    `{"level":"${level}"${timestamp()},${JSON.stringify(line).slice(1)}\n`;
  return {
    write(line) {
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
 * What is left of the texts without a limit of their own. Both are Latin-1, so in JSON a character takes 2 bytes at most. A viewer's id takes
 * 2,048 at most, and the rest of a line some 450.
 */
const cutLengths = { path: 500, userAgent: 200 } as const;

/** Cuts what makes a line too long: the URL and the user agent may take 16 KiB. */
function cut(line: RequestLine): RequestLine {
  const start = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);
  const { path, userAgent } = line;
  return {
    ...line,
    path: start(path, cutLengths.path),
    userAgent: userAgent && start(userAgent, cutLengths.userAgent),
  };
}
