/**
 * The result of the work, if it ends in time. Work that takes longer continues, and its later failure is ignored.
 *
 * @param missing what the error says of work that takes longer, such as `no answer`
 * @throws the work's rejection, or an Error after `limitMs`
 */
export async function withTimeLimit<T>(limitMs: number, work: Promise<T>, missing = 'no answer'): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${missing} within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
