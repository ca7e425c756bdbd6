import { databaseKinds } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeliveryPurge } from './purge-deliveries.ts';
import { openWebhooks, receiverOrigin, type WebhookFixture } from './webhook.fixture.ts';
import { deleteWebhook, updateWebhook } from './webhook-store.ts';

const answerOf = (status: number) => () => ({ status, retryAfterSeconds: null });
const hangs = () => new Promise<never>(() => {});
const minuteMs = 60_000;
const dayMs = 86_400_000;

describe.each(databaseKinds(process.env))('messages of webhooks on $name', (kind) => {
  let hooks: WebhookFixture;
  beforeEach(async () => {
    hooks = await openWebhooks(kind);
  });
  afterEach(() => hooks.close());

  async function enqueue(count = 1): Promise<void> {
    await hooks.act(Array.from({ length: count }, (_, n) => ({ target: `viewer:v-${n}` })));
    await hooks.follow();
  }
  const sentIds = () => hooks.sent.map(({ headers }) => headers['webhook-id'] ?? '');

  it('for a day after a rotation the secret before it signs too', async () => {
    const before = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
    const until = hooks.clock.now() + dayMs;
    await hooks.add({ previous_secret: before, previous_until: until });
    await enqueue();
    await hooks.send();
    hooks.clock.advance(dayMs);
    await enqueue();
    await hooks.send();
    const counts = hooks.sent.map(({ headers }) => headers['webhook-signature']?.split(' ').length);
    expect(counts).toEqual([2, 1]);
  });

  it('two processes send each message once', async () => {
    await hooks.add();
    await enqueue(20);
    const both = [hooks.openDispatcher(), hooks.openDispatcher()];
    await Promise.all(both.map((each) => each.run()));
    await Promise.all(both.map((each) => each.idle()));
    expect(new Set(sentIds()).size).toBe(20);
    expect(sentIds()).toHaveLength(20);
  });

  it('a message whose process was killed between sending and storing is sent again with the same id and body', async () => {
    await hooks.add();
    await enqueue();
    hooks.answer = hangs;
    await hooks.openDispatcher().run();
    hooks.answer = answerOf(200);
    await hooks.send();
    expect(hooks.sent).toHaveLength(1);
    hooks.clock.advance(31_000);
    await hooks.send();
    const [first, second] = hooks.sent;
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(second?.body).toBe(first?.body);
    expect(await hooks.deliveries()).toMatchObject([{ state: 'delivered', tries: 2 }]);
  });

  it('a failed message is tried nine times over 22 hours, with the same id, and has failed then', async () => {
    await hooks.add();
    await enqueue();
    hooks.answer = answerOf(500);
    const times: number[] = [];
    const start = hooks.clock.now();
    for (let tries = 1; tries <= 9; tries++) {
      await hooks.send();
      expect(hooks.sent).toHaveLength(tries);
      times.push((hooks.clock.now() - start) / minuteMs);
      const row = await hooks.db
        .selectFrom('webhook_deliveries')
        .select('next_try_at')
        .executeTakeFirstOrThrow();
      hooks.clock.advance(Number(row.next_try_at) - hooks.clock.now() - 1);
      await hooks.send();
      expect(hooks.sent).toHaveLength(tries);
      hooks.clock.advance(1);
    }
    const minutes = [0, 0.083, 0.583, 2.583, 12.583, 72.583, 252.583, 612.583, 1_332.583];
    expect(times.map((time) => Number(time.toFixed(3)))).toEqual(minutes);
    expect(new Set(sentIds()).size).toBe(1);
    expect(await hooks.deliveries()).toMatchObject([
      { state: 'failed', last_error: 'the receiver answered 500' },
    ]);
    hooks.clock.advance(dayMs);
    await hooks.send();
    expect(hooks.sent).toHaveLength(9);
  });

  it('a message to an origin that is no longer listed is not sent', async () => {
    await hooks.add({ url: 'http://169.254.169.254/latest' });
    await enqueue();
    await hooks.send();
    expect(hooks.sent).toEqual([]);
    expect(await hooks.deliveries()).toMatchObject([
      { state: 'failed', last_error: 'WEBHOOK_ORIGINS does not list http://169.254.169.254' },
    ]);
  });

  it('a receiver that hangs takes four places of its own, and others get their messages', async () => {
    const slow = await hooks.add({ url: `${receiverOrigin}/slow` });
    await hooks.add({ url: `${receiverOrigin}/fast` });
    await enqueue(10);
    hooks.answer = ({ url }) => (url.endsWith('/slow') ? hangs() : answerOf(200)());
    const dispatcher = hooks.openDispatcher();
    await dispatcher.run();
    await expect
      .poll(() => hooks.sent.filter(({ url }) => url.endsWith('/fast')).length, { timeout: 10_000 })
      .toBe(10);
    expect(hooks.sent.filter(({ url }) => url.endsWith('/slow'))).toHaveLength(4);
    expect(slow.status).toBe('active');
  });

  it('a receiver that fails gets one message at a time until it answers', async () => {
    await hooks.add();
    await enqueue(8);
    hooks.answer = answerOf(503);
    const dispatcher = hooks.openDispatcher();
    const run = async () => {
      await dispatcher.run();
      await dispatcher.idle();
      return hooks.sent.length;
    };
    expect([await run(), await run()]).toEqual([4, 5]);
    hooks.answer = answerOf(200);
    // The one place is enough to notice it, and the rest follows.
    expect(await run()).toBe(8);
  });

  it('a paused webhook sends nothing, and what waited is sent once it is resumed', async () => {
    const { id } = await hooks.add();
    await enqueue();
    await updateWebhook(hooks.db, id, { status: 'paused' });
    await hooks.send();
    expect(hooks.sent).toEqual([]);
    await updateWebhook(hooks.db, id, { status: 'active' });
    await hooks.send();
    expect(hooks.sent).toHaveLength(1);
  });

  it('deliveries are removed days after they ended, and the deliveries of a deleted webhook at once', async () => {
    const purge = createDeliveryPurge({ db: hooks.db, clock: hooks.clock, keepDays: 7 });
    const { id } = await hooks.add();
    await enqueue(3);
    await hooks.send();
    hooks.clock.advance(7 * dayMs);
    await enqueue(2);
    await hooks.send();
    expect(await purge.run()).toBe(0);
    hooks.clock.advance(1_000);
    expect(await purge.run()).toBe(3);
    await hooks.db.transaction().execute((tx) => deleteWebhook(tx, id));
    expect(await purge.run()).toBe(2);
    expect(await hooks.deliveries()).toEqual([]);
  });
});
