import type { Clock } from '@latchkey/shared/clock';
import { createPurgeClock, getAsideWriter, inUnsyncedTransaction, runPaced } from '@latchkey/shared/db';
import type { Database, Transaction } from '../own-tables.ts';

const dayMs = 86_400_000;

export interface DeliveryPurge {
  /**
   * Removes deliveries whose state is older than the retention, and all deliveries of deleted webhooks, a few at a time. Waiting deliveries
   * are removed, too: only a paused webhook keeps one waiting for more than a day.
   *
   * @returns how many
   */
  run(): Promise<number>;
  /** Lets a run end after its present step. */
  stop(): void;
}

interface PurgeOptions {
  db: Database;
  clock: Clock;
  keepDays: number;
  observe?: (table: 'webhook_deliveries', rows: number, heldMs: number) => void;
}

export function createDeliveryPurge({ db, clock, keepDays, observe }: PurgeOptions): DeliveryPurge {
  const stopping = new AbortController();
  const aside = getAsideWriter(db);
  const readPurgeTime = createPurgeClock({ db, clock });

  async function remove(ids: string[]): Promise<void> {
    const removeFrom = (rows: Database | Transaction) =>
      rows.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
    await (aside ? removeFrom(aside) : inUnsyncedTransaction(db, removeFrom));
  }

  /** @returns how many rows it removed in all steps */
  async function purge(find: (limit: number) => Promise<string[]>): Promise<number> {
    let [removed, last] = [0, 0];
    await runPaced(db, {
      clock,
      signal: stopping.signal,
      isAside: aside !== null,
      onStep: (heldMs) => observe?.('webhook_deliveries', last, heldMs),
      async step(limit) {
        const ids = await find(limit);
        last = ids.length;
        if (ids.length > 0) await remove(ids);
        removed += ids.length;
        return ids.length === limit;
      },
    });
    return removed;
  }

  return {
    async run() {
      const before = (await readPurgeTime()) - keepDays * dayMs;
      let removed = await purge((limit) => findOld(db, before, limit));
      for (const webhookId of await findGone(db))
        removed += await purge((limit) => findOf(db, webhookId, limit));
      return removed;
    },
    stop: () => stopping.abort(),
  };
}

async function findOld(db: Database, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('changed_at', '<', before)
    .orderBy('changed_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

async function findOf(db: Database, webhookId: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_deliveries')
    .select('id')
    .where('webhook_id', '=', webhookId)
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Of more webhooks than one run removes, the next one goes on. */
const goneAtOnce = 20;

/**
 * Webhooks that have deliveries and are no more. Each step jumps to the next webhook in the index: deliveries are not counted through.
 */
async function findGone(db: Database): Promise<string[]> {
  const known = new Set((await db.selectFrom('webhooks').select('id').execute()).map(({ id }) => id));
  const gone: string[] = [];
  for (let after = ''; gone.length < goneAtOnce; ) {
    const next = await db
      .selectFrom('webhook_deliveries')
      .select('webhook_id')
      .where('webhook_id', '>', after)
      .orderBy('webhook_id')
      .limit(1)
      .executeTakeFirst();
    if (!next) break;
    after = next.webhook_id;
    if (!known.has(after)) gone.push(after);
  }
  return gone;
}
