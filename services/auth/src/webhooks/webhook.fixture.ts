import { createManualClock, type DatabaseKind } from '@latchkey/shared/testing';
import { addAuditRows } from '../audit.fixture.ts';
import type { Database } from '../own-tables.ts';
import { createDispatcher, type Dispatcher, type DispatcherOptions } from './dispatch-deliveries.ts';
import { createAuditFollower } from './follow-audit.ts';
import type { PostAnswer } from './post-message.ts';
import type { WebhookRow } from './webhook.ts';
import { beginAtEndOfAudit, insertWebhook } from './webhook-store.ts';

export const receiverOrigin = 'https://hooks.example.com';

/** A message as a receiver of a test got it. */
interface SentMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export type WebhookFixture = Awaited<ReturnType<typeof openWebhooks>>;

interface Receiver {
  sent: SentMessage[];
  /** The receiver's answer. A receiver that cannot be reached throws. */
  answer: (message: SentMessage) => PostAnswer | Promise<PostAnswer>;
}

const ok: PostAnswer = { status: 204, retryAfterSeconds: null };

/** Webhooks on a database and a clock of a test's own. */
export async function openWebhooks({ open }: Pick<DatabaseKind, 'open'>) {
  const { db: whole, close: closeDatabase } = await open();
  const db: Database = whole;
  const clock = createManualClock();
  const dispatchers: Dispatcher[] = [];
  const receiver: Receiver = { sent: [], answer: () => ok };
  const fixture = Object.assign(receiver, {
    ...{ db, clock, dropped: 0, outcomes: [] as string[] },
    async add(webhook: Partial<WebhookRow> = {}) {
      const row = { ...newWebhook(clock.now()), ...webhook };
      await db.transaction().execute(async (tx) => {
        await beginAtEndOfAudit(tx, clock.now());
        await insertWebhook(tx, row);
      });
      return row;
    },
    /** Writes rows of the audit. */
    async act(rows: readonly Record<string, unknown>[]) {
      await addAuditRows(
        whole,
        rows.map((row) => ({ at: clock.now(), ...row })),
      );
    },
    follow: () => createAuditFollower({ db, clock, onDropped }).run(),
    openDispatcher(options: Partial<DispatcherOptions> = {}) {
      const dispatcher = createDispatcher({
        ...{ db, clock, random: () => 0.5, origins: [receiverOrigin] },
        poster: createPoster(receiver),
        observe: (outcome) => void fixture.outcomes.push(outcome),
        onFault: (error) => {
          throw error;
        },
        onGone: () => {},
        ...options,
      });
      dispatchers.push(dispatcher);
      return dispatcher;
    },
    /** Sends what is due and waits for the answers. */
    async send() {
      const dispatcher = fixture.openDispatcher();
      await dispatcher.run();
      await dispatcher.idle();
    },
    deliveries: () =>
      db
        .selectFrom('webhook_deliveries')
        .select(['id', 'state', 'tries', 'last_error'])
        .orderBy('id')
        .execute(),
    async close() {
      // Otherwise one of them may ask a database that is closed.
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
      await closeDatabase();
    },
  });
  function onDropped({ count }: { count: number }): void {
    fixture.dropped += count;
  }
  return fixture;
}

function createPoster(receiver: Receiver): DispatcherOptions['poster'] {
  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => {});
  return {
    async post(url, headers, body) {
      const message = { url: url.href, headers, body };
      receiver.sent.push(message);
      return Promise.race([receiver.answer(message), closing.promise]);
    },
    // Ends what hangs, as the real one does.
    close: async () => closing.reject(new Error('the dispatcher was stopped')),
  };
}

function newWebhook(now: number): WebhookRow {
  return {
    id: crypto.randomUUID(),
    name: 'a receiver',
    url: `${receiverOrigin}/latchkey`,
    secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
    ...{ previous_secret: null, previous_until: null },
    events: JSON.stringify(['lease.revoked', 'lease.limit-reached', 'api-key.expiring']),
    ...{ status: 'active', paused_by: null, expiring_to: 0, dropped: 0, deaf: '[]' },
    ...{ created_at: now, updated_at: now },
  };
}
