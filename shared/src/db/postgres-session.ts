import type { QueryResult } from 'pg';

/** Under the 5 s after which a state counts as unknown, so that a slow database becomes a 503 and not a hang. */
export const statementTimeoutMs = 4_000;

/**
 * What every session sets for itself. `alter database`, `alter role` and the server's configuration may say otherwise, and
 * the code is only right with these. Names that a version of Postgres does not know are left out.
 */
export function sessionSettings(longStatements: boolean): Readonly<Record<string, string>> {
  const limit = String(longStatements ? 0 : statementTimeoutMs);
  return {
    // With a snapshot for the whole transaction, one that waited for a lock would decide by rows from before it.
    default_transaction_isolation: 'read committed',
    // Deferrable transactions would wait for others before they begin.
    default_transaction_deferrable: 'off',
    statement_timeout: limit,
    idle_in_transaction_session_timeout: limit,
    // The statement's limit covers the wait for a lock. A shorter one of its own would refuse what only has to wait.
    lock_timeout: '0',
    // Postgres 17. Background work may take many statements in one transaction.
    transaction_timeout: '0',
    // Postgres 14. The pool keeps idle connections, and decides itself when to close them.
    idle_session_timeout: '0',
    // What a page of an index costs to the planner, beside one of a table that is read from end to end. The default of 4 is
    // a spinning disk's: with it the planner reads a whole table rather than the index of a list (manual, section 20.7.2).
    random_page_cost: '1.1',
  };
}

/** `synchronous_commit`: an acknowledged revocation is on disk, and on the standbys that the server waits for. */
export const durableCommits = ['on', 'remote_apply'] as const;

interface Queryable {
  query(text: string, values?: unknown[]): Promise<QueryResult<Record<string, unknown>>>;
}

/** A Postgres that replays another one's log. What it says may be old, without a bound. */
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
 * Prepares a new session, in one round trip and one plain statement: PgBouncer refuses most parameters at the start of a
 * connection, and passes a statement on. A session that ends on a standby is refused here, so no read at all comes from one:
 * a primary becomes a standby by a restart only, which ends its sessions.
 *
 * @returns the number of the process of Postgres that serves the session. PgBouncer tells another one to the client.
 * @throws DatabaseIsStandby
 */
export async function prepareSession(client: Queryable, longStatements: boolean): Promise<number> {
  const settings = Object.entries(sessionSettings(longStatements));
  const values = settings.map(([name, value]) => `('${name}', '${value}')`).join(', ');
  const durable = durableCommits.map((value) => `'${value}'`).join(', ');
  const { rows } = await client.query(
    `select pg_is_in_recovery() as "isStandby", pg_backend_pid() as backend,
      set_config('synchronous_commit',
        case when current_setting('synchronous_commit') in (${durable}) then current_setting('synchronous_commit') else 'on' end,
        false),
      (select count(set_config(s.name, v.value, false)) from (values ${values}) as v (name, value)
        join pg_settings s on s.name = v.name)`,
  );
  if (rows[0]?.isStandby !== false) throw new DatabaseIsStandby();
  return Number(rows[0].backend);
}
