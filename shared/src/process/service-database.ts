// The part of this folder that needs the database. Key-derivation has none, and its image carries no driver.

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { createRefusalLog } from '../audit/index.ts';
import type { Clock } from '../clock/clock.ts';
import {
  type Database,
  type DatabasePlace,
  isPostgres,
  type KnownSchema,
  nameDatabase,
  openDatabase,
  openPostgresOptions,
  readMigrationState,
  type Schema,
} from '../db/index.ts';
import {
  createAppliedEverywhere,
  createDatabaseFeed,
  createLedger,
  createListedFeed,
  type FeedRoster,
} from '../events/database.ts';
import type { WaitUntilApplied } from '../events/index.ts';
import type { RouteOptions } from '../http/index.ts';
import { Degraded, type Dependency, withTimeLimit } from '../lifecycle/index.ts';
import type { OperatorLog } from '../log/index.ts';
import { connectBus, connectStateStore, type StoreSettings } from './connect-stores.ts';
import { exportDisk, exportPool } from './export-gauges.ts';
import { refusalsFaultMessage } from './lost-service.ts';
import { followTlsFiles } from './open-tls.ts';
import type { ProcessBase } from './process-context.ts';
import type { ServiceCore } from './service-core.ts';

/** `SQLITE_PATH` is a variable of the single node alone. */
type RowSettings = Partial<DatabasePlace> & StoreSettings;

/** Where a process keeps its rows, and by which ways a change of them reaches the others. */
export type Rows = Awaited<ReturnType<typeof openRows>>;

/** Opens the database, the bus and the shared cache of a process. `/ready` checks them, and they are closed with the process. */
export async function openRows(name: string, values: RowSettings, base: ProcessBase) {
  const place = { ...values, sqlitePath: values.sqlitePath ?? '' };
  const db = openServiceDatabase(place, base);
  const checkSchema = createSchemaCheck(db, nameDatabase(place), base.log);
  base.dependencies.push(...databaseDependencies(db, base.clock, checkSchema));
  return {
    db,
    /** Must succeed before requests are answered. */
    checkSchema,
    // The feed, and the list of the processes that follow it.
    ...createListedFeed({ db, feed: createDatabaseFeed(db), clock: base.clock, self: randomUUID() }),
    bus: await connectBus(name, values, base),
    sharing: connectStateStore(values, base),
  };
}

/** Opens the database of a service; it is closed with the process. No statement is sent yet. */
function openServiceDatabase(values: DatabasePlace, base: ProcessBase): Database {
  const { log, warn, clock, shutdown, registry, tracer } = base;
  const { tls, poolMode } = openPostgresOptions(values, {
    now: clock.now,
    onFault: (error) => warn('changed files for TLS to Postgres are not used', error),
  });
  if (tls) followTlsFiles(tls, base);
  const db = openDatabase({
    ...{ tls, poolMode, tracer },
    databaseUrl: values.databaseUrl?.reveal(),
    sqlitePath: values.sqlitePath,
    onConnectionFault: (error) =>
      log.warn('a database connection broke: requests take another one. If it goes on, check the database', {
        error,
      }),
    onPool: (usage) => exportPool(registry, usage),
  });
  if (!values.databaseUrl && values.sqlitePath !== ':memory:') exportDisk(registry, values.sqlitePath);
  shutdown.add('the database', 2_000, () => db.destroy());
  return db;
}

/** `ServiceCore` for a service that owns rows. `DB` is the tables that it may use. */
export interface RowCore<Values, DB = Schema> extends ServiceCore<Values>, RouteOptions<DB> {}

/** @param roster of `openRows` */
export function addRows<Values>(
  core: ServiceCore<Values>,
  db: Database,
  roster: FeedRoster,
): RowCore<Values> {
  const { bus, clock, warn, metrics } = core;
  return {
    ...core,
    db,
    ledger: createLedger({ db, bus, clock }),
    waitUntilApplied: followRoster(core, db, roster),
    randomId: randomUUID,
    refusals: createRefusalLog(db, clock, (error) => {
      metrics.auditFailures.inc();
      warn(refusalsFaultMessage, error);
    }),
  };
}

/** As long as a process must have been suspect. */
const sweepEveryMs = 60_000;
/** For the last read of the list. */
const leftMs = 1_000;

/** Waits for the processes of the list, and drops processes that ended without leaving it. */
function followRoster(
  { bus, clock, jobs, shutdown, follower }: Pick<ServiceCore<unknown>, 'bus' | 'follower'> & ProcessBase,
  db: Database,
  roster: FeedRoster,
): WaitUntilApplied {
  const everywhere = createAppliedEverywhere({
    ...{ db, roster, bus, clock, follower },
    feed: createDatabaseFeed(db),
  });
  jobs.repeat({
    everyMs: sweepEveryMs,
    run: () => roster.sweep(),
    failed:
      'processes that have ended could not be dropped from the list of followers; waits for applied changes take longer',
  });
  shutdown.add('waits for applied changes', leftMs, () => everywhere.stop());
  return everywhere.wait;
}

/**
 * A read is below the 2 s of a whole readiness check. A hanging write is reported after 600 ms, because the gateway waits
 * 900 ms: without an answer by then, it would show every service as down, where only the database is degraded.
 */
const probeLimits = { readMs: 1_500, writeMs: 600 };

/**
 * The `/ready` check of a database: it can be read, and this code runs on its schema. A database that takes no writes is
 * degraded: known states are still served.
 */
export function databaseDependencies(db: Database, clock: Clock, checkSchema: SchemaCheck): Dependency[] {
  const probe = createDatabaseProbe(db);
  return [
    {
      name: 'database',
      check: async () => {
        const writeFault = await probe(clock.now());
        if (writeFault === null) return undefined;
        throw new Degraded(
          'the database takes no writes: keys are served, changes are answered 503',
          { writes: false },
          { cause: writeFault },
        );
      },
    },
    { name: 'migrations', check: checkSchema },
  ];
}

/**
 * A bounded round trip that reads, and one that writes. A full disk, a read-only setting or another user's lock leaves a
 * database that can be read, which is enough to serve keys.
 *
 * @returns a function that resolves with the reason why a write failed, or with null
 */
function createDatabaseProbe(db: Database): (now: number) => Promise<unknown> {
  // SQLite reads its file only where a statement names a table.
  const read = isPostgres(db) ? sql`select 1` : sql`select count(*) from sqlite_master`;
  let writing: Promise<unknown> | null = null;

  // One at a time: while a write hangs, each further one would take another connection away from the reads.
  function write(now: number): Promise<unknown> {
    writing ??= db
      .updateTable('ready_probe')
      .set({ at: now })
      .where('id', '=', 1)
      .execute()
      .finally(() => {
        writing = null;
      });
    return writing;
  }

  return async (now) => {
    const written = withTimeLimit(probeLimits.writeMs, write(now)).then(
      () => null,
      (error: unknown) => error ?? new Error('refused'),
    );
    await withTimeLimit(probeLimits.readMs, read.execute(db));
    return written;
  };
}

/** Resolves with the schema's state for `/ready`. */
type SchemaCheck = ReturnType<typeof createSchemaCheck>;

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
 * @returns the check, which throws SchemaMissing where this code cannot run on the database yet, UnreleasedSchema, and the database's errors
 */
export function createSchemaCheck(db: Database, name: string, log: OperatorLog, known?: KnownSchema) {
  let logged = '';
  return async () => {
    const { version, pending, missing, unknown } = await readMigrationState(db, known);
    if (missing.length > 0) throw new SchemaMissing(missing, name);
    const message =
      pending.length > 0
        ? `the schema is older than this version, which runs on it all the same; pending: ${pending.join(', ')}. It is ${name}. To bring it up to date: latchkey migrate`
        : unknown.length > 0
          ? `the schema is newer than this version, which runs on it all the same; it has ${unknown.join(', ')}`
          : '';
    if (message && message !== logged) log.warn(message);
    logged = message;
    return {
      /** The last migration of the database. */
      version,
      // The lists only where they have entries.
      ...(pending.length > 0 && { pending }),
      ...(unknown.length > 0 && { unknown }),
    };
  };
}
