import { createAuditSealer } from '@latchkey/shared/audit';
import { createManualClock, type DatabaseKind, type ManualClock } from '@latchkey/shared/testing';
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

/** Webhooks on a database and a clock of a test's own. */
export interface WebhookFixture {
  db: Database;
  clock: ManualClock;
  sent: SentMessage[];
  /** What the receiver answers, or throws. */
  answer: (message: SentMessage) => PostAnswer | Promise<PostAnswer>;
  dropped: number;
  outcomes: string[];
  add(webhook?: Partial<WebhookRow>): Promise<WebhookRow>;
  /** Writes rows of the audit and chains them. */
  act(rows: readonly Record<string, unknown>[]): Promise<void>;
  follow(): Promise<number>;
  /** Sends what is due and waits for the answers. */
  send(): Promise<void>;
  openDispatcher(options?: Partial<DispatcherOptions>): Dispatcher;
  deliveries(): Promise<{ id: string; state: string; tries: number; last_error: string | null }[]>;
  close(): Promise<void>;
}

const ok: PostAnswer = { status: 204, retryAfterSeconds: null };

export async function openWebhooks({ open }: Pick<DatabaseKind, 'open'>): Promise<WebhookFixture> {
  const { db: whole, close: closeDatabase } = await open();
  const db: Database = whole;
  const clock = createManualClock();
  const dispatchers: Dispatcher[] = [];
  const fixture: WebhookFixture = {
    ...{ db, clock, sent: [], answer: () => ok, dropped: 0, outcomes: [] },
    async add(webhook = {}) {
      const row = { ...newWebhook(clock.now()), ...webhook };
      await db.transaction().execute(async (tx) => {
        await beginAtEndOfAudit(tx, clock.now());
        await insertWebhook(tx, row);
      });
      return row;
    },
    async act(rows) {
      await addAuditRows(
        whole,
        rows.map((row) => ({ at: clock.now(), ...row })),
      );
      await createAuditSealer({ db: whole, clock, secret: null }).run();
    },
    follow: () =>
      createAuditFollower({
        ...{ db, clock },
        onDropped({ count }) {
          fixture.dropped += count;
        },
      }).run(),
    openDispatcher(options = {}) {
      const dispatcher = createDispatcher({
        ...{ db, clock, random: () => 0.5, origins: [receiverOrigin] },
        poster: createPoster(fixture),
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
  };
  return fixture;
}

function createPoster(fixture: WebhookFixture): DispatcherOptions['poster'] {
  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => {});
  return {
    async post(url, headers, body) {
      const message = { url: url.href, headers, body };
      fixture.sent.push(message);
      return Promise.race([fixture.answer(message), closing.promise]);
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
