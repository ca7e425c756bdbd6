import { databaseKinds } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addAuditRows, ofViewer } from '../audit.fixture.ts';
import { announceExpiringKeys } from './announce-expiring-keys.ts';
import { enqueueEvents } from './enqueue-events.ts';
import { endInactiveSpan } from './inactive-spans.ts';
import { openWebhooks, type WebhookFixture } from './webhook.fixture.ts';
import { mostPending, readLastBefore } from './webhook-store.ts';

const dayMs = 86_400_000;

describe.each(databaseKinds(process.env))('events for webhooks on $name', (kind) => {
  let hooks: WebhookFixture;
  beforeEach(async () => {
    hooks = await openWebhooks(kind);
  });
  afterEach(() => hooks.close());

  const ids = async () => (await hooks.deliveries()).map(({ id }) => id);
  const payloads = async () => {
    const rows = await hooks.db.selectFrom('webhook_deliveries').select(['webhook_id', 'payload']).execute();
    return rows.map((row) => ({ webhook: row.webhook_id, ...JSON.parse(row.payload) }));
  };

  it('each act becomes one delivery for each webhook that wants it, however many processes read the audit', async () => {
    const [one, other] = [await hooks.add(), await hooks.add()];
    await hooks.add({ events: JSON.stringify(['alert.started']) });
    const acts = Array.from({ length: 60 }, (_, n) => ofViewer(`v-${n}`));
    for (let n = 0; n < acts.length; n += 20) {
      await hooks.act(acts.slice(n, n + 20));
      await Promise.all([hooks.follow(), hooks.follow(), hooks.follow()]);
    }
    await hooks.follow();
    const found = await payloads();
    for (const webhook of [one.id, other.id]) {
      const viewers = found.filter((each) => each.webhook === webhook).map(({ data }) => data.viewerId);
      expect(viewers.sort()).toEqual(acts.map((_, n) => `v-${n}`).sort());
    }
    expect(found).toHaveLength(120);
    expect(await hooks.follow()).toBe(0);
  });

  it('an event that is found again after the position was lost has the same id, and is not enqueued twice', async () => {
    await hooks.add();
    await hooks.act([ofViewer('ada')]);
    await hooks.follow();
    const before = await ids();
    // As a power cut leaves it on SQLite, where this commit does not wait for the disk.
    await hooks.db.updateTable('audit_readers').set({ passed: 0 }).execute();
    await hooks.follow();
    expect(await ids()).toEqual(before);
  });

  it('if the deliveries cannot be written, the position does not move, and nothing is lost', async () => {
    await hooks.add();
    await hooks.act([ofViewer('ada')]);
    await hooks.db.schema.alterTable('webhook_deliveries').renameTo('hidden').execute();
    await expect(hooks.follow()).rejects.toThrow(/webhook_deliveries/);
    await hooks.db.schema.alterTable('hidden').renameTo('webhook_deliveries').execute();
    await hooks.follow();
    expect(await payloads()).toMatchObject([{ type: 'lease.revoked', data: { viewerId: 'ada' } }]);
  });

  // SQLite has one writer at a time, so there no row commits late.
  it.runIf(kind.name === 'Postgres')('a row that commits after a later one is not missed', async () => {
    await hooks.add();
    await hooks.db.transaction().execute(async (tx) => {
      await addAuditRows(tx, [{ at: hooks.clock.now(), ...ofViewer('early') }]);
      await hooks.act([ofViewer('late')]);
      await hooks.follow();
    });
    await hooks.act([ofViewer('last')]);
    await hooks.follow();
    const viewers = (await payloads()).map(({ data }) => data.viewerId);
    expect(viewers.sort()).toEqual(['early', 'last', 'late']);
  });

  it.runIf(kind.name === 'Postgres')(
    'an act that ends only after a webhook was added is sent to it, although its row has a lower number',
    async () => {
      const { db, clock } = hooks;
      await hooks.act([ofViewer('before')]);
      const own = async () => {
        const said = { at: clock.now(), actor_kind: 'api-key', action: 'webhook.create', outcome: 'done' };
        const { number } = await db
          .insertInto('audit')
          .values(said as never)
          .returning('number')
          .executeTakeFirstOrThrow();
        return db.transaction().execute((tx) => readLastBefore(tx, number, clock.now()));
      };
      await db.transaction().execute(async (open) => {
        await addAuditRows(open, [{ at: clock.now(), ...ofViewer('open') }]);
        await hooks.add({ deaf: endInactiveSpan('[]', await own()) });
      });
      await hooks.act([ofViewer('after')]);
      await hooks.follow();
      const viewers = (await payloads()).map(({ data }) => data.viewerId);
      expect(viewers.sort()).toEqual(['after', 'open']);
    },
  );

  it('beyond 10,000 waiting messages new events are dropped and counted', async () => {
    const webhook = await hooks.add();
    const events = Array.from({ length: mostPending - 1 }, (_, n) => ({
      ...{ key: `e-${n}`, type: 'lease.revoked' as const, at: hooks.clock.now(), data: {} },
    }));
    for (let n = 0; n < events.length; n += 1_000)
      await hooks.db
        .transaction()
        .execute((tx) => enqueueEvents(tx, [webhook], events.slice(n, n + 1_000), hooks.clock.now()));
    await hooks.act([ofViewer('a'), ofViewer('b'), ofViewer('c')]);
    await hooks.follow();
    const { dropped } = await hooks.db.selectFrom('webhooks').select('dropped').executeTakeFirstOrThrow();
    expect([hooks.dropped, Number(dropped), (await ids()).length]).toEqual([2, 2, mostPending]);
  });

  it('an active API key is announced once, seven days before it expires, also after its delivery was purged', async () => {
    const key = (id: string, days: number | null, revokedAt: number | null = null) => ({
      ...{ id, name: id, key_hash: id, key_prefix: 'lk_00000000', scope: 'full', created_at: 0 },
      ...{ expires_at: days === null ? null : hooks.clock.now() + days * dayMs, last_used_at: null },
      revoked_at: revokedAt,
    });
    await hooks.db
      .insertInto('api_keys')
      .values([key('soon', 3), key('later', 8), key('never', null), key('revoked', 3, 1), key('past', -1)])
      .execute();
    const webhook = await hooks.add();
    const announce = () => announceExpiringKeys(hooks.db, hooks.clock.now(), () => {});
    const names = async () => (await payloads()).map(({ data }) => data.apiKey.name).sort();
    await Promise.all([announce(), announce()]);
    await announce();
    expect(await names()).toEqual(['soon']);
    hooks.clock.advance(dayMs + 60_000);
    await announce();
    expect(await names()).toEqual(['later', 'soon']);
    await hooks.db.deleteFrom('webhook_deliveries').execute();
    hooks.clock.advance(3_600_000);
    await announce();
    expect(await names()).toEqual([]);
    expect(JSON.stringify(await hooks.db.selectFrom('webhooks').selectAll().execute())).toContain(webhook.id);
  });
});
