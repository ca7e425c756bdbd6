import { type Database, type KnownSchema, readMigrationState } from '../db/index.ts';
import type { OperatorLog } from '../log/index.ts';

/** What `/ready` shows of the schema; the lists only where they name something. */
interface SchemaFacts extends Record<string, unknown> {
  /** The last migration that the database has seen. */
  version: string | null;
  /** What it has not seen, and this code can do without. */
  pending?: string[];
  /** What it has seen, and this code does not know. */
  unknown?: string[];
}

/** @throws SchemaMissing where this code cannot run on the database yet, and whatever the database says */
export type SchemaCheck = () => Promise<SchemaFacts>;

/** The database has not been migrated as far as this code needs. */
class SchemaMissing extends Error {
  readonly forOperator = true;

  /** @param name of the database, see `nameDatabase` */
  constructor(missing: readonly string[], name: string) {
    super(`The database lacks ${missing.join(', ')}; it is ${name}. Run: latchkey migrate`);
  }
}

/**
 * Looks whether this code runs on the schema that is there. During an upgrade and after a rollback it may be an older or a
 * newer one than its own: that is said once, and shown.
 *
 * @param name of the database, see `nameDatabase`: whoever migrates it must mean the same one
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
