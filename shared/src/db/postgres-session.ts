import { type Kysely, sql } from 'kysely';
import type { QueryResult } from 'pg';

/** Under the 5 s after which a state counts as unknown, so that a slow database becomes a 503 and not a hang. */
export const statementTimeoutMs = 4_000;

/**
 * Settings of every session. `alter database`, `alter role` and the server's configuration may set other values, but the
 * code is only correct with these. Names that a version of Postgres does not know are left out.
 */
function sessionSettings(longStatements: boolean): Readonly<Record<string, string>> {
  const limit = String(longStatements ? 0 : statementTimeoutMs);
  return {
    // With one snapshot for the whole transaction, a transaction that waited for a lock would decide by outdated rows.
    default_transaction_isolation: 'read committed',
    // Deferrable transactions would wait for others before they begin.
    default_transaction_deferrable: 'off',
    statement_timeout: limit,
    idle_in_transaction_session_timeout: limit,
    // The statement's limit covers the wait for a lock. A shorter lock limit would fail statements that only have to
    // wait.
    lock_timeout: '0',
    // Postgres 17. Background work may take many statements in one transaction.
    transaction_timeout: '0',
    // Postgres 14. The pool keeps idle connections, and decides itself when to close them.
    idle_session_timeout: '0',
    // The planner's cost of an index page compared with a table page in a full scan. The default of 4 suits a spinning
    // disk: with it the planner reads a whole table rather than the index of a list (manual, section 20.7.2).
    random_page_cost: '1.1',
  };
}

/** `synchronous_commit`: an acknowledged revocation is on disk, and on the standbys that the server waits for. */
const durableCommits = ['on', 'remote_apply'] as const;
const durable = durableCommits.map((value) => `'${value}'`).join(', ');
const durableValue = `case when current_setting('synchronous_commit') in (${durable}) then current_setting('synchronous_commit') else 'on' end`;
const stateOfServer = 'pg_is_in_recovery() as "isStandby", pg_backend_pid() as backend';

interface Queryable {
  /** The id of the process that serves the session, as the other side says it. */
  processID?: number | null;
  query(text: string): Promise<QueryResult<Record<string, unknown>>>;
}

/** `DATABASE_POOL_MODE`: whether transactions of one connection may run in different sessions of Postgres. */
export type PoolMode = 'auto' | 'session' | 'transaction';

/** The facts about a new session. */
export interface Session {
  /** The id of the Postgres process. PgBouncer reports another id to the client. */
  backend: number;
  /** Begins each transaction, where a pooler may give it any session; null where the connection is a session. */
  begin: string | null;
  /** How often it has run a kept statement. */
  keptRuns: number;
}

/** A Postgres that replays another server's log. Its rows may be old, without a bound. */
export class DatabaseIsStandby extends Error {
  readonly forOperator = true;
  /** SQLSTATE cannot_connect_now: the database is not available. */
  readonly code = '57P03';

  constructor() {
    super(
      'DATABASE_URL leads to a standby (pg_is_in_recovery), whose rows may be old: no state can be confirmed there. ' +
        'It has to lead to the primary; promote the standby, or name the primary',
    );
  }
}

/**
 * Prepares a new session in one round trip with one plain statement: PgBouncer refuses most parameters at the start of a
 * connection, but passes a statement on. A session on a standby is refused here, so no read comes from a standby. A
 * primary becomes a standby only by a restart, which ends its sessions.
 *
 * Behind a pooler that gives each transaction any session, settings of a session would reach others' transactions and not
 * ours. There each transaction makes its own (`Session.begin`). Such a pooler is recognized by the process id: it reports one of its own.
 *
 * @throws DatabaseIsStandby
 */
export async function prepareSession(
  client: Queryable,
  longStatements: boolean,
  mode: PoolMode = 'auto',
): Promise<Session> {
  const settings = Object.entries(sessionSettings(longStatements));
  const values = settings.map(([name, value]) => `('${name}', '${value}')`).join(', ');
  const { processID } = client;
  const isPooled =
    mode === 'auto' && processID ? `pg_backend_pid() <> ${processID}` : String(mode === 'transaction');
  const { rows } = await client.query(
    `select ${stateOfServer}, ${isPooled} as "isPooled",
      set_config('synchronous_commit', ${durableValue}, ${isPooled}) as durable,
      (select string_agg(s.name || ':' || length(set_config(s.name, v.value, ${isPooled}))::text, ',')
        from (values ${values}) as v (name, value) join pg_settings s on s.name = v.name) as known`,
  );
  const [row] = rows;
  if (row?.isStandby !== false) throw new DatabaseIsStandby();
  const known = String(row.known)
    .split(',')
    .map((each) => each.split(':')[0]);
  const local = settings.filter(([name]) => known.includes(name) && !name.startsWith('default_'));
  const begin = [
    'start transaction isolation level read committed',
    ...[...local, ['synchronous_commit', row.durable]].map(
      ([name, value]) => `set local ${name} = '${value}'`,
    ),
    `select ${stateOfServer}`,
  ].join('; ');
  return { backend: Number(row.backend), begin: row.isPooled === true ? begin : null, keptRuns: 0 };
}

/**
 * Begins a transaction behind a pooler, in one round trip. Its session may be on another server than the one before.
 *
 * @returns the id of the Postgres process that runs it
 * @throws DatabaseIsStandby
 */
export async function beginPooled(client: Queryable, begin: string): Promise<number> {
  // One answer for each statement of the text; the last one belongs to the `select`.
  const answers = (await client.query(begin)) as unknown as QueryResult<Record<string, unknown>>[];
  const row = answers.at(-1)?.rows[0];
  if (row?.isStandby === false) return Number(row.backend);
  await client.query('rollback');
  throw new DatabaseIsStandby();
}

/** A setting of the server, the database or the role that this code's sessions replace. */
interface OverriddenSetting {
  name: string;
  /** The value that a session would have without ours. */
  found: string;
  used: string;
}

/** Set only for speed, and Postgres' own default differs: a report would help nobody. */
const tuning = 'random_page_cost';

/**
 * Finds settings that an operator made for the server, the database or the role, and that this code's sessions replace.
 *
 * @param db a Postgres
 * @throws the database's error
 */
export async function readOverriddenSettings<DB>(db: Kysely<DB>): Promise<OverriddenSetting[]> {
  const own: Record<string, string> = { ...sessionSettings(false), synchronous_commit: 'on' };
  delete own[tuning];
  const { rows } = await sql<{ name: string; found: string; usual: string }>`
    select name, reset_val as found, boot_val as usual from pg_settings
    where name in (${sql.join(Object.keys(own))}) order by name`.execute(db);
  return rows.flatMap(({ name, found, usual }) => {
    const used = own[name] ?? '';
    const isKept = found === usual || found === used;
    const isStronger = name === 'synchronous_commit' && durableCommits.some((value) => value === found);
    return isKept || isStronger ? [] : [{ name, found, used }];
  });
}
