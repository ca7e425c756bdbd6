import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@latchkey/shared/clock';
import type { Database } from '../own-tables.ts';
import {
  claimDeliveries,
  findDueWebhooks,
  pauseByReceiver,
  settleDelivery,
  type TryOutcome,
} from './delivery-claims.ts';
import { describePostFault } from './describe-post-fault.ts';
import type { PostAnswer, Poster } from './post-message.ts';
import { nextWaitMs } from './retry-schedule.ts';
import { signMessage } from './sign-message.ts';
import { type DeliveryRow, mayPost, type WebhookRow } from './webhook.ts';

/** Tries of one webhook that are under way: a slow receiver takes its own places and no others. */
const triesAtOnce = 4;
/** While the last try failed. One try is enough to notice that the receiver is back. */
const triesOfFailing = 1;

/** Gone (RFC 9110 section 15.5.11). */
const goneStatus = 410;

export interface DispatcherOptions {
  db: Database;
  clock: Clock;
  /** From 0 to 1. */
  random: () => number;
  poster: Poster;
  /** `WEBHOOK_ORIGINS` */
  origins: readonly string[];
  /** Called with what became of each try. */
  observe: (outcome: 'delivered' | 'retried' | 'failed') => void;
  /** Called if an outcome could not be stored: the message is sent again. */
  onFault: (error: unknown) => void;
  /** Called when a receiver has paused its webhook. */
  onGone: (webhook: Pick<WebhookRow, 'id' | 'name'>) => void;
}

export interface Dispatcher {
  /** Begins a try of each message that is due, as far as places are free. It does not wait for the answers. */
  run(): Promise<void>;
  /** Resolves once no try is under way. */
  idle(): Promise<void>;
  /** Ends the tries that are under way without an outcome: they are due again when their claim ends. */
  stop(): Promise<void>;
}

/** Sends what is due. Any number of processes may do so. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, clock, poster, onFault } = options;
  const busy = new Map<string, number>();
  const failing = new Set<string>();
  const running = new Set<Promise<void>>();
  let isStopped = false;

  const take = (id: string, count: number) => void busy.set(id, (busy.get(id) ?? 0) + count);

  async function begin(webhook: WebhookRow): Promise<void> {
    const places = failing.has(webhook.id) ? triesOfFailing : triesAtOnce;
    const limit = places - (busy.get(webhook.id) ?? 0);
    if (isStopped || limit <= 0) return;
    // Taken before the claim: two runs at once must not share a place.
    take(webhook.id, limit);
    let claimed: DeliveryRow[] = [];
    try {
      claimed = await claimDeliveries(db, webhook.id, { now: clock.now(), limit });
    } finally {
      take(webhook.id, claimed.length - limit);
    }
    for (const delivery of claimed) {
      const trying = tryOnce(webhook, delivery).finally(() => running.delete(trying));
      running.add(trying);
    }
  }

  async function tryOnce(webhook: WebhookRow, delivery: DeliveryRow): Promise<void> {
    try {
      const outcome = await sendOnce(options, webhook, delivery);
      // A try that the end of the process interrupted tells nothing about the receiver.
      if (isStopped && outcome.state !== 'delivered') return;
      if (outcome.state === 'delivered') failing.delete(webhook.id);
      else failing.add(webhook.id);
      if (await settleDelivery(db, delivery, outcome, clock.now()))
        options.observe(outcome.state === 'pending' ? 'retried' : outcome.state);
      if (outcome.status === goneStatus) await pauseGone(options, webhook);
    } catch (error) {
      onFault(error);
    } finally {
      take(webhook.id, -1);
    }
    // A receiver that answers gets the next message at once. One that does not gets one a second, by the job.
    if (!failing.has(webhook.id)) await beginDue(webhook.id).catch(onFault);
  }

  /** @param id of the only webhook to look at: after each message all of them would be much work; null for all */
  async function beginDue(id: string | null): Promise<void> {
    if (isStopped) return;
    for (const webhook of await findDueWebhooks(db, { now: clock.now(), id })) {
      await begin(webhook);
      // SQLite answers within a turn of the event loop, and beginning a few messages takes a millisecond: requests come in between.
      await nextTurn();
    }
  }

  return {
    run: () => beginDue(null),
    async idle() {
      while (running.size > 0) await Promise.all(running);
    },
    async stop() {
      isStopped = true;
      poster.close();
      await Promise.all(running);
    },
  };
}

/** A receiver that answers 410 wants no more messages. */
async function pauseGone({ db, clock, onGone }: DispatcherOptions, webhook: WebhookRow): Promise<void> {
  await pauseByReceiver(db, webhook.id, clock.now());
  onGone(webhook);
}

/** Sends a message once. @returns what is to be stored */
async function sendOnce(
  { poster, clock, random, origins }: DispatcherOptions,
  webhook: WebhookRow,
  { id, payload, tries }: DeliveryRow,
): Promise<TryOutcome> {
  const url = new URL(webhook.url);
  const end = (state: 'delivered' | 'failed', status: number | null, error: string | null): TryOutcome => ({
    state,
    status,
    error,
    nextTryAt: null,
  });
  if (!mayPost(url, origins)) return end('failed', null, `WEBHOOK_ORIGINS does not list ${url.origin}`);
  const now = clock.now();
  const { secret, previous_secret: previous, previous_until: until } = webhook;
  const secrets = previous !== null && until !== null && until > now ? [secret, previous] : [secret];
  const headers = signMessage({ id, timestamp: Math.floor(now / 1_000), body: payload }, secrets);
  let answer: PostAnswer | null = null;
  let error: string;
  try {
    answer = await poster.post(url, headers, payload);
    if (answer.status >= 200 && answer.status < 300) return end('delivered', answer.status, null);
    error = describePostFault(answer.status);
  } catch (fault) {
    error = describePostFault(fault);
  }
  const status = answer?.status ?? null;
  if (status === goneStatus) return end('failed', status, error);
  const waitMs = nextWaitMs({ tries, retryAfterSeconds: answer?.retryAfterSeconds ?? null }, random());
  if (waitMs === null) return end('failed', status, error);
  return { state: 'pending', nextTryAt: clock.now() + waitMs, status, error };
}
