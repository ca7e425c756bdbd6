import type { Clock } from '@latchkey/shared/clock';
import type { ChangeFeed } from '@latchkey/shared/events';

/** Three times what eight processes that start at once take on two cores (3 s). */
const startsWithinMs = 10_000;

/**
 * Makes a check of a start: a key may need any owner of a state, and they may be starting too. Without it the first keys after `/ready`
 * would get 503. After 10 s it passes in any case: one that is away for longer does not keep this process from serving what it can.
 *
 * @param owners the change feed of each
 * @returns rejects where an owner does not answer yet
 */
export function createOwnersCheck(
  owners: readonly Pick<ChangeFeed, 'head'>[],
  clock: Pick<Clock, 'monotonic'>,
): () => Promise<void> {
  const startedAtMs = clock.monotonic();
  return async () => {
    if (clock.monotonic() - startedAtMs >= startsWithinMs) return;
    await Promise.all(owners.map((owner) => owner.head()));
  };
}
