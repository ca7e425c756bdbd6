import { eventually } from '@latchkey/support/black-box/eventually';
import {
  createApiKey,
  createLease,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openShared, startServer } from '@latchkey/support/black-box/target';
import { startWebhookReceiver } from '@latchkey/support/black-box/webhook-receiver';
import { Webhook } from 'standardwebhooks';
import { afterAll, describe, expect, it, vi } from 'vitest';

const path = '/api/v1/webhooks';
const weekMs = 7 * 86_400_000;

describe('webhooks', async () => {
  const receiver = await startWebhookReceiver();
  const elsewhere = await startWebhookReceiver();
  afterAll(() => {
    receiver.close();
    elsewhere.close();
  });
  // Its own, because it lists the receivers of this file.
  const server = await startServer({
    WEBHOOK_ORIGINS: receiver.origin,
    LEASE_MAX_PER_VIEWER: '1',
    // A problem that the Overview shows.
    CORS_ORIGINS: '*',
    // API keys that expire are looked for every 10 s, and problems are reported every 30 s.
    NODE_OPTIONS: `--import=${import.meta.resolve('./hasten-timers.ts')}`,
  });
  const { client, adminApiKey: admin } = server;

  async function add(events: string[], at = '/in') {
    const { status, json } = await client.post(path, admin, {
      name: 'Receiver',
      url: receiver.origin + at,
      events,
    });
    expect(status).toBe(201);
    return { ...json.webhook, secret: json.secret as string, at };
  }
  const wanted = { name: 'x', url: receiver.origin, events: ['lease.revoked'] };
  const remove = (id: string) => client.call('DELETE', `${path}/${id}`, { as: admin });
  const messagesAt = (at: string) => receiver.messages.filter((message) => message.path === at);
  const received = (at: string, count = 1) =>
    eventually(() => {
      const found = messagesAt(at);
      expect(found.length).toBeGreaterThanOrEqual(count);
      return found;
    });
  const deliveryOf = async (id: string, deliveryId: string) => {
    const { json } = await client.get(`${path}/${id}/deliveries`, admin);
    return json.deliveries.find((each: { id: string }) => each.id === deliveryId);
  };

  it('a revocation is sent once, and a library of Standard Webhooks accepts its signature', async () => {
    const { id, secret, at } = await add(['lease.revoked'], '/revoked');
    const scene = await makeScene(server);
    await createLease(server, scene);
    await revokeLeases(server, { viewerId: scene.viewerId, reason: 'left' });
    const [message] = await received(at);
    expect(message).toMatchObject({
      type: 'lease.revoked',
      data: { viewerId: scene.viewerId, contentId: null, affected: 1, reason: 'left' },
    });
    const headers = message?.headers as Record<string, string>;
    const verify =
      (body: string, by = secret) =>
      () =>
        new Webhook(by).verify(body, headers);
    expect(verify(message?.body ?? '')).not.toThrow();
    expect(verify(`${message?.body} `)).toThrow();
    const { json } = await client.post(`${path}/${id}/rotate-secret`, admin, {});
    await client.post(`${path}/${id}/test`, admin, {});
    const tested = (await received(at, 2)).at(-1);
    expect(tested?.type).toBe('webhook.test');
    for (const each of [secret, json.secret])
      expect(() => new Webhook(each).verify(tested?.body ?? '', tested?.headers as never)).not.toThrow();
    expect(messagesAt(at)).toHaveLength(2);
    await remove(id);
  });

  it('a viewer at its limit is an event, with the content that it asked for', async () => {
    const { id, at } = await add(['lease.limit-reached'], '/limit');
    const scene = await makeScene(server);
    await createLease(server, scene, { deviceId: 'tv' });
    const { status } = await client.post('/keys/leases', scene.token, {
      contentId: scene.contentId,
      deviceId: 'phone',
    });
    expect(status).toBe(409);
    expect(await received(at)).toMatchObject([
      {
        type: 'lease.limit-reached',
        data: { viewerId: scene.viewerId, contentId: scene.contentId, count: 1 },
      },
    ]);
    await remove(id);
  });

  it('an API key that expires within a week is announced to a new webhook', async () => {
    const expiresAt = new Date(Date.now() + weekMs / 2).toISOString();
    const key = await createApiKey(server, 'playback', { expiresAt });
    const { id, at } = await add(['api-key.expiring'], '/expiring');
    await vi.waitFor(
      () => {
        const keys = messagesAt(at).map(({ data }) => data.apiKey as { id: string; expiresAt: string });
        expect(keys).toContainEqual(expect.objectContaining({ id: key.id, expiresAt }));
      },
      { timeout: 100_000, interval: 500 },
    );
    expect(
      messagesAt(at)
        .map(({ body }) => body)
        .join(),
    ).not.toContain(key.raw);
    await remove(id);
  });

  it('each problem that the Overview shows is an alert that has started, once', async () => {
    const { id, at } = await add(['alert.started', 'alert.ended'], '/alerts');
    const readConcerns = async () =>
      (await client.get('/api/v1/statistics?steps=1', admin)).json.statistics.concerns;
    const concern = (await readConcerns()).find((each: { id: string }) => each.id === 'CORS_ANY_ORIGIN');
    expect(concern).toMatchObject({ severity: 'warning', title: 'Any web page can call' });
    await vi.waitFor(
      () => {
        const alerts = messagesAt(at).map(({ data }) => data.alert as Record<string, unknown>);
        expect(alerts).toContainEqual(expect.objectContaining({ id: concern.id, advice: concern.advice }));
      },
      { timeout: 90_000, interval: 500 },
    );
    const started = messagesAt(at).map(({ data }) => (data.alert as { id: string }).id);
    expect(new Set(started).size).toBe(started.length);
    await remove(id);
  });

  it('a message that a receiver refuses is tried again with the same id, and can be replayed', async () => {
    const { id, at } = await add(['lease.revoked'], '/retried');
    receiver.answer = 500;
    const { json } = await client.post(`${path}/${id}/test`, admin, {});
    const deliveryId = json.delivery.id;
    await eventually(async () => {
      expect(await deliveryOf(id, deliveryId)).toMatchObject({ state: 'pending', tries: 1, lastStatus: 500 });
    });
    receiver.answer = 204;
    await eventually(async () => {
      expect(await deliveryOf(id, deliveryId)).toMatchObject({
        state: 'delivered',
        tries: 2,
        lastStatus: 204,
      });
    });
    const idsOf = async (state: string) => {
      const { json: list } = await client.get(`${path}/${id}/deliveries?state=${state}`, admin);
      return list.deliveries.map((each: { id: string }) => each.id);
    };
    expect([await idsOf('delivered'), await idsOf('failed')]).toEqual([[deliveryId], []]);
    await client.post(`${path}/${id}/deliveries/${deliveryId}/replay`, admin, {});
    const messages = await received(at, 3);
    expect(messages.map(({ headers }) => headers['webhook-id'])).toEqual(Array(3).fill(deliveryId));
    expect(new Set(messages.map(({ body }) => body)).size).toBe(1);
    await remove(id);
  });

  it('a receiver that answers 410 pauses its webhook', async () => {
    const { id } = await add(['lease.revoked'], '/gone');
    receiver.answer = 410;
    await client.post(`${path}/${id}/test`, admin, {});
    await eventually(async () => {
      const { json } = await client.get(`${path}/${id}`, admin);
      expect(json).toMatchObject({ status: 'paused', pausedBy: 'receiver' });
    });
    receiver.answer = 204;
    await remove(id);
  });

  it('another origin is refused, and a redirect to one is not followed', async () => {
    const { id } = await add(['lease.revoked'], '/redirected');
    const json = { url: elsewhere.origin };
    for (const refused of [
      await client.post(path, admin, { ...wanted, ...json }),
      await client.call('PATCH', `${path}/${id}`, { as: admin, json }),
    ])
      expect(refused.code).toBe('VALIDATION_FAILED');
    receiver.answer = 307;
    receiver.headers = { location: elsewhere.origin };
    const tested = await client.post(`${path}/${id}/test`, admin, {});
    await eventually(async () => {
      const delivery = await deliveryOf(id, tested.json.delivery.id);
      expect(delivery.lastError).toContain('redirects are not followed');
    });
    receiver.answer = 204;
    receiver.headers = {};
    expect(elsewhere.messages).toEqual([]);
    await remove(id);
  });

  it('a paused webhook gets no events, and a resumed one gets the events that follow', async () => {
    const { id, at } = await add(['lease.revoked'], '/paused');
    const setStatus = (status: string) =>
      client.call('PATCH', `${path}/${id}`, { as: admin, json: { status } });
    await setStatus('paused');
    const { viewerId: during } = await makeScene(server);
    await revokeLeases(server, { viewerId: during });
    await setStatus('active');
    const { viewerId: after } = await makeScene(server);
    await revokeLeases(server, { viewerId: after });
    const messages = await received(at);
    expect(messages.map(({ data }) => data.viewerId)).toEqual([after]);
    await remove(id);
  });

  it.each([{ events: [] }, { events: ['lease.created'] }, { name: ' ' }, { x: 1 }])(
    'a webhook that is not valid gets 400: %j',
    async (fields) => {
      expect((await client.post(path, admin, { ...wanted, ...fields })).code).toBe('VALIDATION_FAILED');
    },
  );

  it('there are at most 20 webhooks, and a deleted one is gone', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push((await client.post(path, admin, wanted)).json.webhook.id);
    expect((await client.post(path, admin, wanted)).code).toBe('WEBHOOK_LIMIT_REACHED');
    for (const deliveryId of ['msg_x', '%00']) {
      const replay = `${path}/${ids[0]}/deliveries/${deliveryId}/replay`;
      expect((await client.post(replay, admin)).code).toBe('DELIVERY_NOT_FOUND');
    }
    for (const id of ids) expect((await remove(id)).status).toBe(204);
    for (const id of [...ids, 'x'])
      expect((await client.get(`${path}/${id}`, admin)).code).toBe('WEBHOOK_NOT_FOUND');
  });
});

it('without WEBHOOK_ORIGINS no webhook can be added, and the answer names the variable', async () => {
  const server = await openShared('plain');
  const wanted = { name: 'x', url: 'https://hooks.example.com', events: ['lease.revoked'] };
  const { status, code, json } = await server.client.post(path, server.adminApiKey, wanted);
  expect([status, code]).toEqual([409, 'WEBHOOKS_OFF']);
  expect(json.detail).toContain('WEBHOOK_ORIGINS');
  expect((await server.client.get(path, server.adminApiKey)).json).toEqual({ webhooks: [], origins: [] });
});
