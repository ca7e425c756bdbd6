import type { AuthConfig } from './config.ts';
import type { RowCore } from './own-tables.ts';
import { announceExpiringKeys } from './webhooks/announce-expiring-keys.ts';
import { createDispatcher } from './webhooks/dispatch-deliveries.ts';
import type { DroppedEvents } from './webhooks/enqueue-events.ts';
import { createAuditFollower } from './webhooks/follow-audit.ts';
import type { Poster } from './webhooks/post-message.ts';
import { createDeliveryPurge } from './webhooks/purge-deliveries.ts';
import { countAllPending, createWebhookCheck } from './webhooks/webhook-store.ts';

/** The audit is chained once a second, and an event follows. A run without work is one small query. */
const followEveryMs = 1_000;
/** A new message waits half of that on average, and a receiver that fails gets one message in that time. */
const sendEveryMs = 1_000;
/** Keys expire to the second, and are announced days before. */
const expiringEveryMs = 60_000;
const purgeEveryMs = 60_000;

/** Turns what happens into messages of webhooks, sends them, and removes old ones. */
export function addWebhookJobs(core: RowCore<AuthConfig>): { send: () => void } {
  const { app, db, clock, log, warn, values, jobs, metrics } = core;
  const there = createWebhookCheck();
  const onDropped = ({ webhook, count }: DroppedEvents) =>
    log.warn(
      `${count} events were dropped: 10,000 messages wait for this webhook already. Its receiver is away, or slower than events come`,
      { webhook: webhook.id, name: webhook.name },
    );
  const dispatcher = createDispatcher({
    ...{ db, clock, origins: values.webhookOrigins, random: Math.random, poster: createLatePoster() },
    observe: metrics.countWebhookTry,
    onFault: (error) => warn('the outcome of a webhook message could not be stored: it is sent again', error),
    onGone: ({ id, name }) =>
      log.warn('a receiver wants no more messages (410): its webhook was paused', { webhook: id, name }),
  });
  app.addHook('onClose', () => dispatcher.stop());
  const follower = createAuditFollower({ db, clock, onDropped });
  jobs.repeat({
    everyMs: followEveryMs,
    run: () => follower.run(),
    failed: 'events for webhooks could not be read from the audit: they are sent once it works',
    interrupt: () => follower.stop(),
  });
  const send = async () => {
    if (await there.isThere(db)) await dispatcher.run();
  };
  jobs.repeat({
    everyMs: sendEveryMs,
    run: send,
    failed: 'messages of webhooks could not be sent: they wait in the database',
  });
  jobs.repeat({
    everyMs: expiringEveryMs,
    run: async () => {
      if (await there.isThere(db)) await announceExpiringKeys(db, clock.now(), onDropped);
    },
    failed: 'API keys that expire soon could not be announced to webhooks; it is tried again',
  });
  const purge = createDeliveryPurge({
    ...{ db, clock, keepDays: values.webhookDeliveriesKeepDays, observe: metrics.observePurge },
  });
  jobs.repeat({
    everyMs: purgeEveryMs,
    run: () => purge.run(),
    failed: 'old deliveries of webhooks could not be removed: they take room, and nothing else is affected',
    interrupt: () => purge.stop(),
  });
  metrics.watchWebhooks(async () => {
    if (!(await there.isThere(db))) return 0;
    return [...(await countAllPending(db)).values()].reduce((sum, count) => sum + count, 0);
  });
  return { send: () => void send().catch((error) => warn('a message could not be sent at once', error)) };
}

/** The client takes 3 MB, and most servers have no webhooks. So it is loaded with the first message. */
function createLatePoster(): Poster {
  let opening: Promise<Poster> | null = null;
  return {
    async post(...message) {
      opening ??= import('./webhooks/post-message.ts').then(({ openPoster }) => openPoster());
      return (await opening).post(...message);
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
