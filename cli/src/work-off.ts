/**
 * Works on several items at once, in their order.
 *
 * @param atOnce how many
 * @throws the first error of `work`. No further item is begun after it
 */
export async function workOff<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // A loop that ends by an error ends the generator, and so the loops of all workers.
  const remaining = (function* () {
    yield* items;
  })();
  const takeTurns = async () => {
    for (const item of remaining) await work(item);
  };
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, takeTurns));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
}
