import type { Writable } from 'node:stream';
import pino from 'pino';
import type { Clock } from '../clock/clock.ts';
import { redact } from './redact.ts';
import type { ProcessIdentity } from './request-line.ts';

/** Messages for the operator, separate from the request log: starts, warnings, lost dependencies. They go to standard error. */
export interface OperatorLog {
  /** Nothing to do. */
  info(message: string, facts?: Record<string, unknown>): void;
  /** Something is lost or wrongly set, and requests go on, or the next try may succeed. For office hours. */
  warn(message: string, facts?: Record<string, unknown>): void;
  /** A request or an act failed, or the process cannot go on. Worth an alert. */
  error(message: string, facts?: Record<string, unknown>): void;
  /**
   * From now on each line names the trace of the request that it is written for, as `traceId`. Never called where traces are off, so
   * that nothing is looked up for them.
   *
   * @param current null outside of any request that is recorded
   */
  nameTraces?(current: () => string | null): void;
}

interface OperatorLogOptions {
  level: string;
  /** `plain` for a person at a terminal, `json` for a collector. */
  format: 'plain' | 'json';
  write: (text: string) => void;
  /** In every JSON line. A person at a terminal knows the process. */
  identity?: ProcessIdentity | undefined;
}

type Level = 'info' | 'warn' | 'error';

export function createOperatorLog(options: OperatorLogOptions): OperatorLog {
  const write = options.format === 'json' ? createJsonWriter(options) : createPlainWriter(options);
  let currentTrace = (): string | null => null;
  const at =
    (level: Level) =>
    (message: string, facts: Record<string, unknown> = {}) => {
      const traceId = currentTrace();
      // A line that knows its request has named the trace itself.
      const all = traceId === null || 'traceId' in facts ? facts : { ...facts, traceId };
      write(level, redact(message), plain(all));
    };
  return {
    ...{ info: at('info'), warn: at('warn'), error: at('error') },
    nameTraces(current) {
      currentTrace = current;
    },
  };
}

type WriteLine = (level: Level, message: string, facts: Record<string, unknown>) => void;

function createJsonWriter({ level: least, identity, write }: OperatorLogOptions): WriteLine {
  const log = pino(
    {
      level: least,
      base: identity ? { ...identity } : null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
  return (level, message, facts) => log[level](facts, message);
}

const marks = { info: '', warn: 'warning: ', error: 'error: ' };

function createPlainWriter({ level: least, write }: OperatorLogOptions): WriteLine {
  const leastValue = pino.levels.values[least] ?? Number.POSITIVE_INFINITY;
  return (level, message, facts) => {
    if ((pino.levels.values[level] ?? 0) < leastValue) return;
    const details = Object.entries(facts).map(([name, value]) => ` ${name}=${String(value)}`);
    write(`${marks[level]}${message}${details.join('')}\n`);
  };
}

/** An error's message and, where the database or the network set one, its code. Raw keys and tokens are hidden. */
function plain(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof Error) return redact(describeError(value));
  if (typeof value === 'string') return redact(value);
  return Array.isArray(value) ? value.map(plainValue) : value;
}

/** An error in one line, with its code and its causes. It may contain what a caller chose: apply `redact` before it is written. */
export function describeError(error: Error): string {
  const { code } = error as { code?: unknown };
  const cause = error.cause instanceof Error ? `: ${describeError(error.cause)}` : '';
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}${cause}`;
}

/** Often enough for a reader of the log to see it, and rare enough not to hide the other lines. */
const againAfterMs = 60_000;
/** Maximum number of remembered reasons. There are few; some name a port or an id. */
const remembered = 200;

/**
 * Warnings that repeat while a dependency is lost, such as one for each failed call. A warning is logged at once, and
 * again for another reason. The same one is logged once a minute, with the number of repetitions.
 */
export function createRepeatedWarnings(
  log: Pick<OperatorLog, 'warn'>,
  clock: Clock,
): (message: string, error: unknown) => void {
  const logged = new Map<string, { atMs: number; repeated: number }>();
  return (message, error) => {
    const reason = `${message}: ${error instanceof Error ? describeError(error) : String(error)}`;
    const last = logged.get(reason);
    const nowMs = clock.monotonic();
    if (last && nowMs - last.atMs < againAfterMs) {
      last.repeated++;
      return;
    }
    if (logged.size >= remembered) logged.clear();
    logged.set(reason, { atMs: nowMs, repeated: 0 });
    log.warn(
      message,
      last && last.repeated > 0 ? { error, repeatedSinceLastLine: last.repeated } : { error },
    );
  };
}

/** Where the reader of standard error does not read, later lines are dropped rather than memory filled. */
const keptBytes = 8 * 1024 * 1024;

/**
 * Writes the operator's log. Where the reader is gone or stops reading, lines are lost, but the process runs and ends as
 * usual. A stream error without a listener would end the process in the middle of its shutdown.
 */
export function createStderrWriter(stderr: Writable): (text: string) => void {
  let isBroken = false;
  stderr.on('error', () => {
    isBroken = true;
  });
  return (text) => {
    if (!isBroken && stderr.writableLength < keptBytes) stderr.write(text);
  };
}
