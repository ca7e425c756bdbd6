import { type Alert, alertsEveryMs } from '@latchkey/shared/contracts';
import type { AuthConfig } from './config.ts';
import type { RowCore } from './own-tables.ts';
import { announceExpiringKeys } from './webhooks/announce-expiring-keys.ts';
import { createDispatcher } from './webhooks/dispatch-deliveries.ts';
import type { DroppedEvents } from './webhooks/enqueue-events.ts';
import { createAuditFollower } from './webhooks/follow-audit.ts';
import { noteAlerts } from './webhooks/note-alerts.ts';
import { openPoster } from './webhooks/post-message.ts';
import { createDeliveryPurge } from './webhooks/purge-deliveries.ts';
import { countAllPending } from './webhooks/webhook-store.ts';

/** An event is late by that. A run without work is one small query. */
const followEveryMs = 1_000;
/** A new message waits half of that on average, and a receiver that fails gets one message in that time. */
const sendEveryMs = 1_000;
/** Keys are announced days before they expire. A new webhook gets them soon, because its admin looks whether it works. It is one small query. */
const expiringEveryMs = 10_000;
const purgeEveryMs = 60_000;

/** One for all jobs: they fail together while the database is away, and each text is logged once a minute. */
const failed =
  'webhooks could not be served: events and messages wait in the database, old ones are not removed, and nothing else is affected. It is tried again';

interface WebhookJobs {
  /** Begins to send what is due. It does not wait or throw. */
  send: () => void;
  noteAlerts: (alerts: readonly Alert[]) => Promise<void>;
}

/** Turns what happens into messages of webhooks, sends them, and removes old ones. */
export function addWebhookJobs(
  core: RowCore<AuthConfig>,
  readAlerts?: () => Promise<readonly Alert[]>,
): WebhookJobs {
  const { app, db, clock, log, warn, values, jobs, metrics } = core;
  const onDropped = ({ webhook, count }: DroppedEvents) =>
    log.warn(
      `${count} events were dropped: 10,000 messages wait for this webhook already. Its receiver is away, or slower than events come`,
      { webhook: webhook.id, name: webhook.name },
    );
  const dispatcher = createDispatcher({
    ...{ db, clock, origins: values.webhookOrigins, random: Math.random, poster: openPoster() },
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
    failed,
    interrupt: () => follower.stop(),
  });
  const send = () => dispatcher.run();
  jobs.repeat({
    everyMs: sendEveryMs,
    run: send,
    failed,
  });
  jobs.repeat({
    everyMs: expiringEveryMs,
    run: () => announceExpiringKeys(db, clock.now(), onDropped),
    failed,
  });
  const purge = createDeliveryPurge({
    ...{ db, clock, keepDays: values.webhookDeliveriesKeepDays, observe: metrics.observePurge },
  });
  jobs.repeat({
    everyMs: purgeEveryMs,
    run: () => purge.run(),
    failed,
    interrupt: () => purge.stop(),
  });
  metrics.watchWebhooks(async () => {
    return [...(await countAllPending(db)).values()].reduce((sum, count) => sum + count, 0);
  });
  const note = (alerts: readonly Alert[]) => noteAlerts(db, alerts, clock.now(), onDropped);
  if (readAlerts) jobs.repeat({ everyMs: alertsEveryMs, run: async () => note(await readAlerts()), failed });
  return {
    send: () => void send().catch((error) => warn('a message could not be sent at once', error)),
    noteAlerts: note,
  };
}
