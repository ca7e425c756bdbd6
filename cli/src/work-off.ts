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
  let next = 0;
  const takeTurns = async () => {
    while (next < items.length) {
      try {
        await work(items[next++] as T);
      } catch (error) {
        next = items.length;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: atOnce }, takeTurns));
  for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
}
