import pino from 'pino';

/** One line for one request (contract, section 8). */
export interface RequestLine {
  requestId: string;
  method: string;
  /** With every query value hidden. */
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
  /** Hands everything to the operating system, and takes no more lines. For the end of the process. */
  flush(): void | Promise<void>;
}

/** Lines are gathered this long at most: a request never waits for its line. */
const gatherMs = 100;
const gatherOctets = 8 * 1024;
/** When the reader of the log stands still, later lines are dropped rather than memory filled. */
const keptOctets = 32 * 1024 * 1024;

/** Writes request lines to a file descriptor, 1 being standard output. */
export function createRequestLog(level: string, fd: number): RequestLog {
  const destination = pino.destination({ fd, sync: false, minLength: gatherOctets, maxLength: keptOctets });
  // A reader that went away (a closed pipe) must not end the server.
  destination.on('error', () => {});
  const timer = setInterval(() => destination.flush(), gatherMs);
  timer.unref();
  const least = pino.levels.values[level] ?? Number.POSITIVE_INFINITY;
  const timestamp = createTimestamp();
  let ended: Promise<void> | null = null;
  return {
    write(line) {
      if (ended) return;
      const own = line.status >= 500 ? 'error' : 'info';
      if ((pino.levels.values[own] ?? 0) < least) return;
      // All of a line in one piece takes a third of the time that the logger takes to put it together member by member.
      destination.write(`{"level":"${own}"${timestamp()},${JSON.stringify(line).slice(1)}\n`);
    },
    flush() {
      clearInterval(timer);
      // Not flushSync: it would overtake the write that is under way, whose lines the end of the process may lose.
      ended ??= new Promise((resolve) => {
        destination.once('close', resolve);
        destination.once('error', () => resolve());
        destination.end();
      });
      return ended;
    },
  };
}

/** The `time` member of a line. Written out once for each millisecond, which a busy server logs some thirty lines in. */
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
