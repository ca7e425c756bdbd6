import { type ChainName, readPlaces } from '@latchkey/shared/audit';
import type { Clock } from '@latchkey/shared/clock';
import { inUnsyncedTransaction, runPaced, tryLockSubject } from '@latchkey/shared/db';
import type { Database, Transaction } from '../own-tables.ts';
import { type DroppedEvents, enqueueEvents } from './enqueue-events.ts';
import { activityOf } from './inactive-spans.ts';
import { eventOfPlace } from './webhook-events.ts';
import { listening } from './webhook-store.ts';

/** The chains whose rows can be events. */
const followed: readonly ChainName[] = ['acts', 'refusals'];

export interface AuditFollower {
  /**
   * Turns new rows of the audit into deliveries.
   *
   * @returns how many rows were read
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
 * Reads the audit by its chains. Places are given in order and after the commit of a row, so a row that commits late is not missed, and the
 * position is one number. The deliveries and the position are one transaction: each row becomes an event once, whichever process reads it
 * and whenever it is killed. On SQLite that commit does not wait for the disk: a power cut takes both back, and the ids of the messages stay
 * the same.
 *
 * Where no webhook listens nothing is read, and the position is not kept.
 */
export function createAuditFollower({ db, clock, onDropped }: FollowOptions): AuditFollower {
  const stopping = new AbortController();
  let read = 0;

  async function step(chain: ChainName, limit: number): Promise<boolean> {
    const { count, dropped } = await inUnsyncedTransaction(db, (tx) =>
      followSome(tx, chain, limit, clock.now()),
    );
    for (const one of dropped) onDropped(one);
    read += count;
    return count === limit;
  }

  return {
    async run() {
      read = 0;
      for (const chain of await findBehind(db, clock.now()))
        await runPaced(db, { clock, signal: stopping.signal, step: (limit) => step(chain, limit) });
      return read;
    },
    stop: () => stopping.abort(),
  };
}

/** Without a lock, so that a run without work is one small query. */
async function findBehind(db: Database, now: number): Promise<ChainName[]> {
  const rows = await db
    .selectFrom('audit_chains')
    .innerJoin('webhook_progress', 'webhook_progress.chain', 'audit_chains.chain')
    .select('audit_chains.chain')
    .whereRef('audit_chains.place', '>', 'webhook_progress.place')
    .where(({ exists }) => exists(listening(db, now).select('id')))
    .execute();
  return followed.filter((chain) => rows.some((row) => row.chain === chain));
}

interface Followed {
  count: number;
  dropped: DroppedEvents[];
}

async function followSome(tx: Transaction, chain: ChainName, limit: number, now: number): Promise<Followed> {
  // Another process that reads has its turn.
  if (!(await tryLockSubject(tx, 'webhooks'))) return { count: 0, dropped: [] };
  const progress = tx.selectFrom('webhook_progress').select('place').where('chain', '=', chain);
  const head = tx.selectFrom('audit_chains').select('place').where('chain', '=', chain);
  const [{ place: after }, { place: upTo }] = [
    await progress.executeTakeFirstOrThrow(),
    await head.executeTakeFirstOrThrow(),
  ];
  const webhooks = await listening(tx, now).selectAll().execute();
  if (webhooks.length === 0 || after >= upTo) return { count: 0, dropped: [] };
  const places = await readPlaces(tx, chain, { after, upTo, limit });
  const events = places.flatMap((place) => {
    const event = eventOfPlace(place);
    return event ? [{ number: place.number, event }] : [];
  });
  const dropped: DroppedEvents[] = [];
  for (const webhook of webhooks) {
    // A row is chained up to some seconds after its act: meanwhile a webhook may have been added, paused or resumed.
    const hears = activityOf(webhook);
    const own = events.filter(({ number }) => hears(number)).map(({ event }) => event);
    dropped.push(...(await enqueueEvents(tx, [webhook], own, now)));
  }
  // Without a place, the retention has removed all of them.
  const place = places.at(-1)?.place ?? upTo;
  await tx.updateTable('webhook_progress').set({ place }).where('chain', '=', chain).execute();
  return { count: places.length, dropped };
}
