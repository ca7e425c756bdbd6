import pino from 'pino';
import { redact } from './redact.ts';

/** Messages for the operator beside the request log: starts, warnings, lost dependencies. They go to standard error. */
export interface OperatorLog {
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

export interface OperatorLogOptions {
  level: string;
  /** `plain` for a person at a terminal, `json` for a collector. */
  format: 'plain' | 'json';
  write: (text: string) => void;
}

export function createOperatorLog({ level, format, write }: OperatorLogOptions): OperatorLog {
  if (format === 'json') {
    const log = pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      { write },
    );
    return {
      info: (message, facts = {}) => log.info(plain(facts), redact(message)),
      warn: (message, facts = {}) => log.warn(plain(facts), redact(message)),
      error: (message, facts = {}) => log.error(plain(facts), redact(message)),
    };
  }
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
  const shown = (name: string) => levels.indexOf(name) >= levels.indexOf(level);
  const line = (mark: string, message: string, facts: Record<string, unknown>) => {
    const details = Object.entries(plain(facts)).map(([name, value]) => ` ${name}=${String(value)}`);
    write(`${mark}${redact(message)}${details.join('')}\n`);
  };
  return {
    info: (message, facts = {}) => shown('info') && line('', message, facts),
    warn: (message, facts = {}) => shown('warn') && line('warning: ', message, facts),
    error: (message, facts = {}) => shown('error') && line('error: ', message, facts),
  };
}

/** An error's message and, where the database or the network set one, its code. Raw keys and tokens are hidden. */
function plain(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (value instanceof Error) return redact(describe(value));
  if (typeof value === 'string') return redact(value);
  return Array.isArray(value) ? value.map(plainValue) : value;
}

/** An error in one line, with its code and its causes. */
export function describe(error: Error): string {
  const { code } = error as { code?: unknown };
  const cause = error.cause instanceof Error ? `: ${describe(error.cause)}` : '';
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}${cause}`;
}
