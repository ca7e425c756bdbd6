import pino from 'pino';

/** What the operator should know beside the requests: starts, warnings, lost dependencies. Standard error. */
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
      info: (message, facts = {}) => log.info(plain(facts), message),
      warn: (message, facts = {}) => log.warn(plain(facts), message),
      error: (message, facts = {}) => log.error(plain(facts), message),
    };
  }
  const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
  const shown = (name: string) => levels.indexOf(name) >= levels.indexOf(level);
  const line = (mark: string, message: string, facts: Record<string, unknown>) => {
    const details = Object.entries(plain(facts)).map(([name, value]) => ` ${name}=${String(value)}`);
    write(`${mark}${message}${details.join('')}\n`);
  };
  return {
    info: (message, facts = {}) => shown('info') && line('', message, facts),
    warn: (message, facts = {}) => shown('warn') && line('warning: ', message, facts),
    error: (message, facts = {}) => shown('error') && line('error: ', message, facts),
  };
}

/** An error as its words and, where the database or the network gave one, its code. */
function plain(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, value instanceof Error ? describe(value) : value]),
  );
}

/** An error in one line, with the code and the causes that it has. */
export function describe(error: Error): string {
  const { code } = error as { code?: unknown };
  const cause = error.cause instanceof Error ? `: ${describe(error.cause)}` : '';
  return `${typeof code === 'string' ? `${code} ` : ''}${error.message}${cause}`;
}
