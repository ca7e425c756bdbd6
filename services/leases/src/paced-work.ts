import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@latchkey/shared/clock';
import type { Database } from './own-tables.ts';

/** How background work leaves room for requests. */
interface Pace {
  /** What one transaction should take. */
  stepMs: number;
  /** How long it rests, as a multiple of what the transaction took. */
  restShare: number;
  /** Rows of one transaction, however long that takes: fewer would spend nearly all of the time on beginnings and ends. */
  leastRows: number;
}

/**
 * SQLite runs in this process, so a statement is time in which no request is answered. A third of the time is left to this work.
 * Its commits do not wait for the disk (`inUnsyncedTransaction`), so small ones cost little. On a machine with ten times the load
 * that it can bear, 150 rows took 27 ms and 40 take 4 ms, for nearly the same number of rows a second.
 */
const sqlitePace: Pace = { stepMs: 3, restShare: 2, leastRows: 40 };
/** Postgres works beside requests: this holds one of the ten connections of the pool, for half of the time. */
const postgresPace: Pace = { stepMs: 25, restShare: 1, leastRows: 150 };
const firstRows = 50;
/** A step that took long may have waited for requests, and they need no rest as long as that. */
const longestRestMs = 50;
/** Rows of one statement: SQLite takes 32,766 values (SQLITE_MAX_VARIABLE_NUMBER), and Postgres makes one plan for each number. */
const mostRows = 1_000;

/**
 * Runs a step again and again until it says that it is done: with as many rows as fit into the time that one may take, and
 * with a rest after each.
 *
 * @param step takes the number of rows that it may write in one transaction; false where nothing is left
 */
export async function runPaced(
  db: Database,
  clock: Clock,
  signal: AbortSignal,
  step: (rows: number) => Promise<boolean>,
): Promise<void> {
  const { stepMs, restShare, leastRows } = isPostgres(db) ? postgresPace : sqlitePace;
  let rows = firstRows;
  while (!signal.aborted) {
    const beganAt = clock.monotonic();
    if (!(await step(rows))) return;
    const tookMs = clock.monotonic() - beganAt;
    const fitting = tookMs > 0 ? (rows * stepMs) / tookMs : mostRows;
    // At most twice as many as before: the first steps after a pause tell little.
    rows = Math.round(Math.max(leastRows, Math.min(mostRows, 2 * rows, fitting)));
    await wait(Math.min(longestRestMs, tookMs * restShare), undefined, { ref: false });
  }
}

function isPostgres(db: Database): boolean {
  // Of the two dialects only Postgres has it.
  return db.getExecutor().adapter.supportsTransactionalDdl === true;
}
