import type { Clock } from '@latchkey/shared/clock';
import { inUnsyncedTransaction, runPaced, tryLockSubject } from '@latchkey/shared/db';
import type { Database, Transaction } from '../own-tables.ts';
import { readFinalRows, readPlace, storePlace } from '../read-final-rows.ts';
import { type DroppedEvents, enqueueEvents } from './enqueue-events.ts';
import { activityOf } from './inactive-spans.ts';
import { eventOfRow, isEvent } from './webhook-events.ts';
import { listening } from './webhook-store.ts';

export interface AuditFollower {
  /**
   * Turns new rows of the audit into deliveries.
   *
   * @returns how many were events
   */
  run(): Promise<number>;
  /** Lets a run end after its present step. */
  stop(): void;
}

interface FollowOptions {
  db: Database;
  clock: Clock;
  onDropped: (dropped: DroppedEvents) => void;
}

/**
 * The deliveries and the position are one transaction: each row becomes an event once, whichever process reads it and whenever it is killed. On
 * SQLite that commit does not wait for the disk: a power cut takes both back, and the ids of the messages stay the same.
 *
 * Where no webhook listens nothing is read, and the position is not kept.
 */
export function createAuditFollower({ db, clock, onDropped }: FollowOptions): AuditFollower {
  const stopping = new AbortController();
  let read = 0;

  async function step(limit: number): Promise<boolean> {
    const { count, dropped, isMore } = await inUnsyncedTransaction(db, (tx) =>
      followSome(tx, limit, clock.now()),
    );
    for (const one of dropped) onDropped(one);
    read += count;
    return isMore;
  }

  return {
    async run() {
      read = 0;
      if (await isBehind(db, clock.now())) await runPaced(db, { clock, signal: stopping.signal, step });
      return read;
    },
    stop: () => stopping.abort(),
  };
}

/** Without a lock, so that a run without work is one small query. */
async function isBehind(db: Database, now: number): Promise<boolean> {
  const behind = await db
    .selectFrom('audit_readers')
    .select('name')
    .where('name', '=', 'webhooks')
    .where(({ exists }) => exists(listening(db, now).select('id')))
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('waiting', '<>', '[]'),
        exists(selectFrom('audit').select('number').whereRef('number', '>', 'passed')),
      ]),
    )
    .executeTakeFirst();
  return behind !== undefined;
}

interface Followed {
  count: number;
  dropped: DroppedEvents[];
  isMore: boolean;
}

async function followSome(tx: Transaction, limit: number, now: number): Promise<Followed> {
  const nothing = { count: 0, dropped: [], isMore: false };
  // Another process that reads has its turn.
  if (!(await tryLockSubject(tx, 'webhooks'))) return nothing;
  const webhooks = await listening(tx, now).selectAll().execute();
  if (webhooks.length === 0) return nothing;
  const place = await readPlace(tx, 'webhooks');
  const { rows, next, isMore } = await readFinalRows(tx, place, { now, limit, wants: isEvent });
  const dropped: DroppedEvents[] = [];
  for (const webhook of webhooks) {
    // A row is read up to some seconds after its act: meanwhile a webhook may have been added, paused or resumed.
    const hears = activityOf(webhook);
    const own = rows.filter(({ number }) => hears(number)).map(eventOfRow);
    dropped.push(...(await enqueueEvents(tx, [webhook], own, now)));
  }
  if (next !== place) await storePlace(tx, 'webhooks', next);
  return { count: rows.length, dropped, isMore };
}
