import type { Database } from './open.ts';

/**
 * A bounded round trip that writes, because a full disk or a read-only replica still answers reads.
 *
 * @throws whatever the database says, or an Error after `timeoutMs`
 */
export async function probeDatabase(db: Database, now: number, timeoutMs: number): Promise<void> {
  const write = db.updateTable('ready_probe').set({ at: now }).where('id', '=', 1).execute();
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([write, limit]);
  } finally {
    clearTimeout(timer);
    write.catch(() => {});
  }
}
