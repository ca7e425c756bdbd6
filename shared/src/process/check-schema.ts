import { type Database, type KnownSchema, readMigrationState } from '../db/index.ts';
import type { OperatorLog } from '../log/index.ts';

/** The schema's state in `/ready`; the lists only where they have entries. */
interface SchemaFacts extends Record<string, unknown> {
  /** The last migration of the database. */
  version: string | null;
  /** Migrations that the database lacks, and without which this code runs. */
  pending?: string[];
  /** Migrations of the database that this code does not know. */
  unknown?: string[];
}

/** @throws SchemaMissing where this code cannot run on the database yet, and the database's errors */
export type SchemaCheck = () => Promise<SchemaFacts>;

/** The database lacks a migration that this code needs. */
class SchemaMissing extends Error {
  readonly forOperator = true;

  /** @param name of the database, see `nameDatabase` */
  constructor(missing: readonly string[], name: string) {
    super(`The database lacks ${missing.join(', ')}; it is ${name}. Run: latchkey migrate`);
  }
}

/**
 * Checks whether this code runs on the database's schema. During an upgrade and after a rollback the schema may be older
 * or newer than the code's own. That is logged once, and shown.
 *
 * @param name of the database, see `nameDatabase`: the operator who migrates it must use the same one
 */
export function createSchemaCheck(
  db: Database,
  name: string,
  log: OperatorLog,
  known?: KnownSchema,
): SchemaCheck {
  let said = '';
  return async () => {
    const { version, pending, missing, unknown } = await readMigrationState(db, known);
    if (missing.length > 0) throw new SchemaMissing(missing, name);
    const message =
      pending.length > 0
        ? `the schema is older than this version, which runs on it all the same; pending: ${pending.join(', ')}. It is ${name}. To bring it up to date: latchkey migrate`
        : unknown.length > 0
          ? `the schema is newer than this version, which runs on it all the same; it has ${unknown.join(', ')}`
          : '';
    if (message && message !== said) log.warn(message);
    said = message;
    return {
      version,
      ...(pending.length > 0 && { pending }),
      ...(unknown.length > 0 && { unknown }),
    };
  };
}
