import type { LogEvent } from 'kysely';
import type { Tracer } from '../traces/index.ts';

/** Kysely quotes every name, and values are bound, so a quoted name behind these words is a table of ours. */
const tableForm = /\b(?:from|into|update|join)\s+"([a-z_]+)"/;
const operationForm = /^\s*([a-z]+)\b/i;

/** Records each statement that a request sends: the kind and the table, never the statement. @returns the `log` option of Kysely */
export function traceStatements(system: 'postgresql' | 'sqlite', tracer: Tracer): (event: LogEvent) => void {
  return ({ level, query: { sql }, queryDurationMillis }) => {
    const operation = operationForm.exec(sql)?.[1]?.toUpperCase() ?? 'OTHER';
    const table = tableForm.exec(sql)?.[1];
    const facts = {
      'db.system.name': system,
      'db.operation.name': operation,
      ...(table !== undefined && { 'db.collection.name': table }),
    };
    const name = table === undefined ? operation : `${operation} ${table}`;
    tracer.called(name, facts, queryDurationMillis, level === 'error' ? 'refused' : undefined);
  };
}
