/**
 * Starts so many things, only some of them at a time.
 *
 * @returns what each start resolved with, in the order in which they ended
 * @throws the error of the first start that fails; no further one begins then
 */
export async function startInTurn<T>(count: number, atOnce: number, start: () => Promise<T>): Promise<T[]> {
  const started: T[] = [];
  let left = count;
  const startSome = async () => {
    while (left > 0) {
      left--;
      try {
        started.push(await start());
      } catch (error) {
        left = 0;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, startSome));
  return started;
}
