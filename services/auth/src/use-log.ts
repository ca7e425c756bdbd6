import type { Clock } from '@latchkey/shared/clock';
import { inTransaction } from '@latchkey/shared/db';
import { setLastUsedAt } from './api-key-store.ts';
import type { Database } from './own-tables.ts';

/**
 * How often uses are written. `docs/reference/contract.md#api-keys` allows a minute. A twelfth of it leaves room for failed attempts and costs
 * one small transaction for any number of requests.
 */
export const usesFlushMs = 5_000;
/** Keys that are kept between two flushes: as many as the cache of API keys has, some 1 MB. */
const keptUses = 10_000;
/** Rows of one transaction. Some 20 µs each on SQLite, so others wait for it a few milliseconds at most. */
const batchSize = 200;

/** When each API key was last used, gathered in memory. */
interface UseLog {
  /** @param usedAt milliseconds since 1970 */
  note(id: string, usedAt: number): void;
  /** Writes the uses. Never rejects: uses that could not be written are reported, and kept for the next time. */
  flush(): Promise<void>;
}

export interface UseLogOptions {
  db: Database;
  clock: Clock;
  onFault: (error: unknown) => void;
}

export function createUseLog({ db, clock, onFault }: UseLogOptions): UseLog {
  const latest = new Map<string, number>();
  let flushing: Promise<void> | null = null;

  const note = (id: string, usedAt: number) => {
    const known = latest.get(id);
    if (known !== undefined && known >= usedAt) return;
    latest.set(id, usedAt);
    if (latest.size <= keptUses) return;
    const oldest = latest.keys().next().value;
    if (oldest !== undefined) latest.delete(oldest);
  };

  async function writeAll(): Promise<void> {
    // In the order of the ids, so that two processes that write the same keys do not deadlock.
    const uses = [...latest].sort(([a], [b]) => (a < b ? -1 : 1));
    latest.clear();
    let written = 0;
    try {
      for (; written < uses.length; written += batchSize) {
        const batch = uses.slice(written, written + batchSize);
        // A process whose clock is ahead must not put a use into the future: nothing would ever be later.
        const now = clock.now();
        await inTransaction(db, async (tx) => {
          for (const [id, usedAt] of batch) await setLastUsedAt(tx, id, Math.min(usedAt, now));
        });
      }
    } catch (error) {
      for (const [id, usedAt] of uses.slice(written)) note(id, usedAt);
      onFault(error);
    }
  }

  return {
    note,
    async flush() {
      // Uses that are noted during a flush are not part of it, so a second caller waits and flushes again.
      while (flushing) await flushing;
      if (latest.size === 0) return;
      flushing = writeAll().finally(() => {
        flushing = null;
      });
      await flushing;
    },
  };
}
