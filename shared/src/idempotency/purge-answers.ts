import type { Clock } from '../clock/clock.ts';
import {
  createPurgeClock,
  type Database,
  getAsideWriter,
  inUnsyncedTransaction,
  runPaced,
} from '../db/index.ts';
import type { Jobs } from '../lifecycle/index.ts';
import { answersKeptMs, type IdempotencyTable, removeAnswers } from './kept-answers.ts';

/** Answers are kept for a day, so a minute more does not matter. */
const purgeEveryMs = 60_000;

interface PurgeOptions {
  db: Database;
  clock: Clock;
  /** Ends a run between two transactions. */
  signal: AbortSignal;
  /** Called after each step: what it removed, and how long it may have held its locks. */
  observe?: ((table: IdempotencyTable, rows: number, heldMs: number) => void) | undefined;
}

/** Removes the answers of a service that are no longer kept, in short transactions. @returns how many */
export async function purgeAnswers(
  table: IdempotencyTable,
  { db, clock, signal, observe }: PurgeOptions,
): Promise<number> {
  const aside = getAsideWriter(db);
  const before = (await createPurgeClock({ db, clock })()) - answersKeptMs;
  let [removed, last] = [0, 0];
  await runPaced(db, {
    ...{ clock, signal, isAside: aside !== null },
    onStep: (heldMs) => observe?.(table, last, heldMs),
    async step(limit) {
      last = await (aside
        ? removeAnswers(aside, table, before, limit)
        : inUnsyncedTransaction(db, (tx) => removeAnswers(tx, table, before, limit)));
      removed += last;
      return last > 0;
    },
  });
  return removed;
}

/** Purges the answers of a service again and again. */
export function addAnswerPurge(
  table: IdempotencyTable,
  {
    db,
    clock,
    jobs,
    metrics,
  }: { db: Database; clock: Clock; jobs: Jobs; metrics: { observePurge: PurgeOptions['observe'] } },
): void {
  const stopping = new AbortController();
  const options = { db, clock, signal: stopping.signal, observe: metrics.observePurge };
  jobs.repeat({
    everyMs: purgeEveryMs,
    run: () => purgeAnswers(table, options),
    failed:
      'answers that were kept for repeated requests could not be purged: they grow, and nothing else is affected. The next minute tries again',
    interrupt: () => stopping.abort(),
  });
}
