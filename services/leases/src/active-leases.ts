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

/** Has the gauge counted whenever it is read, so that it needs no timer and is never behind. */
export function gaugeActiveLeases(gauge: Metrics['activeLeases'], count: () => Promise<number>): void {
  // prom-client asks `collect` before it reads a metric; its types name it only as an option of the constructor.
  Object.assign(gauge, {
    async collect() {
      // Not known is not zero, and one number that is missing shall not cost the others.
      gauge.set(await count().catch(() => Number.NaN));
    },
  });
}

/** As long as a step of the statistics. A million active leases are counted in some 40 ms, on SQLite by a thread of its own. */
const sampleEveryMs = 10_000;

/** Counts the active leases again and again, for their number over time. What could not be counted is left out. */
export function sampleActiveLeases(
  { metrics }: { metrics: Pick<Metrics, 'statistics'> },
  count: () => Promise<number>,
): Repeating {
  const sample = async () => metrics.statistics.noteActiveLeases(await count());
  // While the database is away there is nothing to say that readiness does not.
  const first = sample().catch(() => {});
  const further = everyMs(sampleEveryMs, sample, () => {});
  return {
    async stop() {
      await first;
      await further.stop();
    },
  };
}
