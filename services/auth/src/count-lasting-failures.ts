import type { Clock } from '@latchkey/shared/clock';

/** As long as the hold of the alerts for a database that is away. A restart of one takes less. */
const lastsMs = 60_000;

/**
 * Counts the failures of a job that has not succeeded for a minute. Before that it only waits: for a database that is away it catches up
 * afterwards, and that has an alert of its own.
 *
 * @returns the job, which fails as before
 */
export function countLastingFailures(
  run: () => Promise<unknown>,
  { clock, count }: { clock: Pick<Clock, 'monotonic'>; count: () => void },
): () => Promise<void> {
  let succeededMs = clock.monotonic();
  return async () => {
    try {
      await run();
      succeededMs = clock.monotonic();
    } catch (error) {
      if (clock.monotonic() - succeededMs >= lastsMs) count();
      throw error;
    }
  };
}
