import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../clock/clock.ts';
import { isPostgres } from './is-postgres.ts';
import type { Database } from './open.ts';
import type { SqliteBackground } from './sqlite-background.ts';
import { SqliteFileAdapter } from './sqlite-dialect.ts';

/** How background work leaves room for requests. */
interface Pace {
  /** The intended time of one transaction. */
  stepMs: number;
  /** How long it rests, as a multiple of what the transaction took. */
  restShare: number;
  /** Rows of one transaction, however long that takes: fewer would spend nearly all of the time on beginnings and ends. */
  leastRows: number;
}

const paces = {
  /**
   * SQLite runs in this process, so a statement is time in which no request is answered. A fifteenth of the time is left to this
   * work. 20 leases take some 0.6 ms of an idle machine, and 40 take 1 ms: half of a step does not depend on their number.
   */
  sqlite: { stepMs: 0.7, restShare: 14, leastRows: 20 },
  /** On a separate thread. It only holds the write lock of the file, for half of the time. */
  aside: { stepMs: 2, restShare: 1, leastRows: 20 },
  /** Postgres answers requests at the same time. This work holds one of the ten connections of the pool, for half of the time. */
  postgres: { stepMs: 10, restShare: 1, leastRows: 150 },
  /** A tenth of the time of one connection, for work that nothing waits for. At a fifth, a simultaneous look-up took 2.3 times as long. */
  patientPostgres: { stepMs: 5, restShare: 9, leastRows: 75 },
} satisfies Record<string, Pace>;
const firstRows = 50;
/**
 * Half of what a request may wait for background work (`docs/reference/contract.md`). After a step that took longer, the next one may have a
 * single row.
 */
const longStepMs = 25;
/** A step that took long may have waited for requests, and they need no rest as long as that. */
const longestRestMs = 50;
/** Rows of one statement: SQLite takes 32,766 values (SQLITE_MAX_VARIABLE_NUMBER), and Postgres makes one plan for each number. */
const mostRows = 1_000;
/** Rarely, because it waits for the disk, and so may the commit of a request at the same time. By then the log holds some 10 MB. */
const checkpointEveryMs = 1_000;

/** Work that runs in steps until a step reports that nothing is left. */
interface PacedWork {
  clock: Clock;
  /** Ends the work between two steps. */
  signal: AbortSignal;
  /** @param rows how many it may write in one transaction; false if nothing is left */
  step(rows: number): Promise<boolean>;
  /** Whether the steps write by `getAsideWriter`. */
  isAside?: boolean;
  /** Whether nothing waits for it and nothing piles up meanwhile. On SQLite, all work in this process is patient. */
  isPatient?: boolean;
  /** Called with how long a step has held its locks at most. */
  onStep?: (heldMs: number) => void;
}

/** Runs a step with as many rows as fit into the time that one may take, and with a rest after each. */
export async function runPaced(
  db: Database,
  { clock, signal, step, isAside, isPatient, onStep }: PacedWork,
): Promise<void> {
  const background = backgroundOf(db);
  const { stepMs, restShare, leastRows } = isPostgres(db)
    ? paces[isPatient ? 'patientPostgres' : 'postgres']
    : isAside && background
      ? paces.aside
      : paces.sqlite;
  let rows = Math.max(leastRows, firstRows);
  const checkpoints = background && takeCheckpoints(background, clock);
  try {
    while (!signal.aborted) {
      const beganAt = clock.monotonic();
      const isMore = await step(rows);
      const tookMs = clock.monotonic() - beganAt;
      // On a separate thread, a step may wait for writes of requests. It holds nothing while it waits.
      const heldMs = isAside && background ? background.aside.takeHeldMs() : tookMs;
      onStep?.(heldMs);
      if (!isMore) return;
      const fitting = tookMs > 0 ? (rows * stepMs) / tookMs : mostRows;
      // At most twice as many as before: the first steps after a pause say little.
      const least = heldMs > longStepMs ? 1 : leastRows;
      rows = Math.round(Math.max(least, Math.min(mostRows, 2 * rows, fitting)));
      await wait(Math.min(longestRestMs, tookMs * restShare), undefined, { ref: false });
      await checkpoints?.runIfDue();
    }
  } finally {
    checkpoints?.end();
  }
}

function takeCheckpoints(background: SqliteBackground, clock: Clock) {
  const end = background.takeCheckpoints();
  let lastAt = clock.monotonic();
  return {
    end,
    async runIfDue() {
      if (clock.monotonic() - lastAt < checkpointEveryMs) return;
      await background.aside.checkpoint();
      lastAt = clock.monotonic();
    },
  };
}

/**
 * Writes without blocking the process: on a SQLite file, each statement runs on a separate thread, as a transaction of its own
 * whose commit does not wait for the disk. Null for Postgres, a separate process anyway, and for a database in memory.
 */
export function getAsideWriter(db: Database): Database | null {
  return backgroundOf(db)?.writer ?? null;
}

function backgroundOf(db: Database): SqliteBackground | null {
  const { adapter } = db.getExecutor();
  return adapter instanceof SqliteFileAdapter ? adapter.background : null;
}
