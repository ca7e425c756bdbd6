import type { Clock } from '../clock/clock.ts';

/** Changes whose repetition is recognised: as many as pushes that may wait for the feed (`feed-progress.ts`). */
const remembered = 1_000;

interface Delays {
  /** @param at when the row of the change was written, in milliseconds since 1970 */
  note(number: number, at: number): void;
  /** The numbers of changes begin anew. */
  forget(): void;
}

/**
 * Measures the time from the row of each change until this process has applied it. A change may be received in a push and in a page: only the
 * first time counts. A lost push is followed by later ones, so the order of numbers says nothing.
 */
export function measureDelays(clock: Pick<Clock, 'now'>, observe: (seconds: number) => void): Delays {
  const measured = new Set<number>();
  return {
    note(number, at) {
      if (measured.has(number)) return;
      measured.add(number);
      if (measured.size > remembered) for (const oldest of measured) if (measured.delete(oldest)) break;
      observe(Math.max(0, clock.now() - at) / 1_000);
    },
    forget: () => measured.clear(),
  };
}
