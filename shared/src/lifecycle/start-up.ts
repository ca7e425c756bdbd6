import type { Clock } from '../clock/clock.ts';

/** Longer than the first start of all containers with an empty database, which takes 10 to 20 s. */
const patienceMs = 60_000;

export type StartUp = ReturnType<typeof createStartUp>;

/**
 * The time from the start of a process until everything that it depends on was up once, and a minute at most. A missing
 * dependency is most often starting too, so no warning reports it as lost.
 */
export function createStartUp(clock: Pick<Clock, 'monotonic'>) {
  const startedAtMs = clock.monotonic();
  let hasEnded = false;
  const isOver = () => hasEnded || clock.monotonic() - startedAtMs >= patienceMs;
  return {
    /** Whether a warning with this error may still be premature. A fault that no waiting mends is not: a refused certificate, a wrong master key. */
    excuses: (error: unknown) => !isOver() && !needsOperator(error),
    isOver,
    /** Ends it: from now on each loss is logged at once. */
    end(): void {
      hasEnded = true;
    },
  };
}

function needsOperator(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'final' in error || ('publicReason' in error && typeof error.publicReason === 'string');
}
