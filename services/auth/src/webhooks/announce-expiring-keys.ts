import { inUnsyncedTransaction, tryLockSubject } from '@latchkey/shared/db';
import type { ApiKeyRow } from '../api-key.ts';
import { listExpiringApiKeys } from '../api-key-store.ts';
import type { Database } from '../own-tables.ts';
import { type DroppedEvents, enqueueEvents } from './enqueue-events.ts';
import { eventOfExpiringKey } from './webhook-events.ts';
import { updateWebhook } from './webhook-store.ts';

/** A week: time enough to replace a key in the software of others. */
const announcedBeforeMs = 7 * 86_400_000;
/** Of one transaction: some 2 ms on SQLite. */
const keysAtOnce = 50;
/** The position is written this often while no key expires: a write each time would only wear the disk. */
const positionEveryMs = 3_600_000;

/**
 * Announces the API keys that expire within a week. Each webhook remembers up to which expiry it got them, so a key is announced once to
 * each, and to a new webhook as well. The position follows after the last key: until then the ids of the messages prevent a second one.
 * A key that is created with less than a week to live is usually not announced: its creator knows.
 *
 * @param now milliseconds since 1970
 */
export async function announceExpiringKeys(
  db: Database,
  now: number,
  onDropped: (dropped: DroppedEvents) => void,
): Promise<void> {
  const active = await db
    .selectFrom('webhooks')
    .select(['id', 'expiring_to'])
    .where('status', '=', 'active')
    .execute();
  const until = now + announcedBeforeMs;
  for (const { id, expiring_to: since } of active) {
    const after = Math.max(Number(since), now);
    let last: ApiKeyRow | undefined;
    for (let count = keysAtOnce; count === keysAtOnce; ) {
      const keys = await listExpiringApiKeys(db, { after, until, last, limit: keysAtOnce });
      if (keys.length > 0 && !(await announce(db, id, keys, { now, onDropped }))) return;
      count = keys.length;
      last = keys.at(-1) ?? last;
    }
    if (last || until - Number(since) >= positionEveryMs) await updateWebhook(db, id, { expiring_to: until });
  }
}

/** @returns false if another process has its turn: the next run goes on */
function announce(
  db: Database,
  webhookId: string,
  keys: readonly ApiKeyRow[],
  { now, onDropped }: { now: number; onDropped: (dropped: DroppedEvents) => void },
): Promise<boolean> {
  return inUnsyncedTransaction(db, async (tx) => {
    if (!(await tryLockSubject(tx, 'webhooks'))) return false;
    const webhooks = await tx
      .selectFrom('webhooks')
      .selectAll()
      .where('id', '=', webhookId)
      .where('status', '=', 'active')
      .execute();
    const events = keys.map((key) => eventOfExpiringKey(key, now));
    for (const dropped of await enqueueEvents(tx, webhooks, events, now)) onDropped(dropped);
    return true;
  });
}
