import type { Clock } from '@latchkey/shared/clock';
import { createTableCheck, type TableCheck } from '@latchkey/shared/db';
import { everyMs, type Repeating } from '@latchkey/shared/lifecycle';
import type { Metrics } from '@latchkey/shared/metrics';
import { openLeaseStore } from './lease-store.ts';
import type { Database } from './own-tables.ts';

/** Leases that are neither expired nor revoked now. */
export async function countActiveLeases({
  db,
  clock,
  revocations = createTableCheck('revocations'),
}: {
  db: Database;
  clock: Clock;
  revocations?: TableCheck;
}): Promise<number> {
  const store = await openLeaseStore(db, revocations);
  return store.countActive({ viewerId: null, contentId: null }, clock.now());
}

/** Counts whenever the gauge is read, so that it needs no timer and is always current. */
export function gaugeActiveLeases(gauge: Metrics['activeLeases'], count: () => Promise<number>): void {
  // prom-client asks `collect` before it reads a metric; its types name it only as an option of the constructor.
  Object.assign(gauge, {
    async collect() {
      // An unknown count is not zero, and must not fail the other metrics.
      gauge.set(await count().catch(() => Number.NaN));
    },
  });
}

/** As long as a step of the statistics. A million active leases are counted in some 40 ms, on SQLite in a separate thread. */
const sampleEveryMs = 10_000;

/** Counts the active leases for each step of the statistics. A count that fails is left out. */
export function sampleActiveLeases(
  { metrics }: { metrics: Pick<Metrics, 'statistics'> },
  count: () => Promise<number>,
): Repeating {
  const sample = async () => metrics.statistics.noteActiveLeases(await count());
  // If the database is away, readiness reports it.
  const first = sample().catch(() => {});
  const further = everyMs(sampleEveryMs, sample, () => {});
  return {
    async stop() {
      await first;
      await further.stop();
    },
  };
}
