import { randomUUID } from 'node:crypto';
import type { Answer } from '@latchkey/support/black-box/answer';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import {
  createApiKey,
  makeScene,
  readAudit,
  registerContent,
  revokeApiKey,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { playlistOrigin, sharedSettings } from '@latchkey/support/black-box/shared-settings';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { setPlaylist } from '@latchkey/support/playback/open-session';
import { viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';

const hooks = 'https://hooks.example.com';
// Its own: no shared server sends events.
const server = await startServer({ ...sharedSettings['every-route'], WEBHOOK_ORIGINS: hooks });
const { client, adminApiKey: admin, jwtSecret } = server;

/** A request that creates something. */
interface Creation {
  path: string;
  as: string;
  body: Record<string, unknown>;
}

interface Creator {
  prepare(): Promise<Creation>;
  /** Another body of the same form. */
  another: Record<string, unknown>;
  /** The values that only the first answer has; they are null in the answer to a repeat. */
  hide(json: Answer['json']): unknown;
  /** How many things there are that the request would make. */
  count(creation: Creation): Promise<number>;
}

async function prepareViewing(path: string): Promise<Creation> {
  const { contentId, token } = await makeScene(server);
  await setPlaylist(server, contentId, `${playlistOrigin}/film.m3u8`);
  return { path, as: token, body: { contentId, deviceId: 'tv' } };
}
const countLeases = async ({ body }: Creation) =>
  (await client.get(`/api/v1/leases?contentId=${body.contentId}`, admin)).json.total_active;

const creators: Record<string, Creator> = {
  'an API key': {
    prepare: async () => ({
      path: '/api/v1/api-keys',
      as: admin,
      body: { name: unique('key'), scope: 'playback', metadata: { team: 'a', ticket: 'b' } },
    }),
    another: { scope: 'upload' },
    hide: (json) => ({ ...json, raw_key: null }),
    count: async ({ body }) => (await client.get(`/api/v1/api-keys?q=${body.name}`, admin)).json.total,
  },
  'a lease': {
    prepare: () => prepareViewing('/keys/leases'),
    another: { requestedTtlSeconds: 60 },
    hide: (json) => json,
    count: countLeases,
  },
  'a session': {
    prepare: () => prepareViewing('/keys/sessions'),
    another: { ttlSeconds: 60 },
    hide: (json) => ({ ...json, session: { ...json.session, id: null }, url: null }),
    count: countLeases,
  },
  'a webhook': {
    prepare: async () => ({
      path: '/api/v1/webhooks',
      as: admin,
      body: { name: unique('hook'), url: hooks, events: ['lease.revoked'] },
    }),
    another: { events: ['api-key.expiring'] },
    hide: (json) => ({ ...json, secret: null }),
    count: async ({ body }) =>
      (await client.get('/api/v1/webhooks', admin)).json.webhooks.filter(
        ({ name }: { name: string }) => name === body.name,
      ).length,
  },
};

const send = ({ path, as, body }: Creation, key: string) =>
  client.call('POST', path, { as, json: body, headers: { 'idempotency-key': key } });
const isReplayed = ({ headers }: Answer) => headers['idempotent-replayed'];

describe.each(Object.entries(creators))('%s', (_, creator) => {
  it('is made once: a repeat with the same Idempotency-Key gets the first answer without its secrets', async () => {
    const [creation, key] = [await creator.prepare(), randomUUID()];
    const first = await send(creation, key);
    expect([first.status, isReplayed(first)]).toEqual([201, undefined]);
    // The members in another order are the same body.
    const reversed = Object.fromEntries(Object.entries(creation.body).reverse());
    for (const body of [creation.body, reversed]) {
      const repeat = await send({ ...creation, body }, key);
      expect([repeat.status, isReplayed(repeat)]).toEqual([201, 'true']);
      expect(repeat.json).toEqual(creator.hide(first.json));
    }
    expect(await creator.count(creation)).toBe(1);
  });

  it('is not made by another body with the same Idempotency-Key: 422 IDEMPOTENCY_KEY_REUSED', async () => {
    const [creation, key] = [await creator.prepare(), randomUUID()];
    const { json } = await send(creation, key);
    const other = { ...creation, body: { ...creation.body, ...creator.another } };
    expect(outcomeOf(await send(other, key))).toBe('422 IDEMPOTENCY_KEY_REUSED');
    expect((await send(creation, key)).json).toEqual(creator.hide(json));
    expect(await creator.count(creation)).toBe(1);
  });

  it('is made once by ten requests at the same time: the others get 409 IDEMPOTENCY_KEY_IN_USE or the first answer', async () => {
    const [creation, key] = [await creator.prepare(), randomUUID()];
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(creation, key)));
    const [first, ...others] = answers.filter((answer) => answer.status === 201 && !isReplayed(answer));
    expect(others).toEqual([]);
    for (const answer of answers) {
      if (answer === first) continue;
      if (answer.status === 201) expect(answer.json).toEqual(creator.hide(first?.json));
      else
        expect([outcomeOf(answer), answer.headers['retry-after']]).toEqual([
          '409 IDEMPOTENCY_KEY_IN_USE',
          '1',
        ]);
    }
    expect(await creator.count(creation)).toBe(1);
    expect(isReplayed(await send(creation, key))).toBe('true');
  });

  it.each(['', 'short-1', 'x'.repeat(129), 'with space', 'with\ttab-', 'schlüssel-1'])(
    'is not made with the Idempotency-Key %j: 400 names the header',
    async (key) => {
      const creation = await creator.prepare();
      const answer = await send(creation, key);
      expect([outcomeOf(answer), answer.json.errors[0].path]).toEqual([
        '400 VALIDATION_FAILED',
        '/Idempotency-Key',
      ]);
      expect(answer.json.detail).toMatch(/8 to 128 visible/);
      expect(await creator.count(creation)).toBe(0);
    },
  );
});

it('the shortest and the longest Idempotency-Key, of any visible characters, are accepted', async () => {
  const characters = Array.from({ length: 94 }, (_, n) => String.fromCharCode(0x21 + n)).join('');
  for (const key of ['8-chars!', characters, 'y'.repeat(128)]) {
    const creation = { path: '/api/v1/api-keys', as: admin, body: { name: unique('key') } };
    expect([(await send(creation, key)).status, isReplayed(await send(creation, key))]).toEqual([
      201,
      'true',
    ]);
  }
});

it('two headers Idempotency-Key in one request are no key: 400', async () => {
  const answer = await client.call('POST', '/api/v1/api-keys', {
    as: admin,
    json: { name: 'x' },
    headers: { 'idempotency-key': ['first-key', 'second-key'] as unknown as string },
  });
  expect(outcomeOf(answer)).toBe('400 VALIDATION_FAILED');
});

it('an Idempotency-Key belongs to its credential and its path: of another it makes another thing', async () => {
  const key = randomUUID();
  const body = { name: unique('key'), scope: 'playback' };
  const { raw } = await createApiKey(server, 'full');
  const byAdmin = await send({ path: '/api/v1/api-keys', as: admin, body }, key);
  const byOther = await send({ path: '/api/v1/api-keys', as: raw, body }, key);
  expect([isReplayed(byOther), byOther.status]).toEqual([undefined, 201]);
  expect(byOther.json.api_key.id).not.toBe(byAdmin.json.api_key.id);
  const [ann, bob] = [await prepareViewing('/keys/leases'), await prepareViewing('/keys/leases')];
  const leases = [
    await send(ann, key),
    await send(bob, key),
    await send({ ...ann, path: '/keys/sessions' }, key),
  ];
  expect(leases.map((answer) => [answer.status, isReplayed(answer)])).toEqual(
    Array(3).fill([201, undefined]),
  );
});

it('a later token of the same viewer gets the first answer', async () => {
  const { contentId, viewerId, token } = await makeScene(server);
  const creation = { path: '/keys/leases', as: token, body: { contentId } };
  const key = randomUUID();
  const first = await send(creation, key);
  const later = await send({ ...creation, as: viewerToken(jwtSecret, viewerId, { n: 2 }) }, key);
  expect([isReplayed(later), later.json.lease.id]).toEqual(['true', first.json.lease.id]);
});

it('a renewal by creation keeps its 200, and a repeat renews no more', async () => {
  const { contentId, token } = await makeScene(server);
  const creation = { path: '/keys/leases', as: token, body: { contentId, deviceId: 'tv' } };
  await client.post(creation.path, token, creation.body);
  const key = randomUUID();
  const [renewed, repeat] = [await send(creation, key), await send(creation, key)];
  expect([renewed.status, repeat.status, isReplayed(repeat)]).toEqual([200, 200, 'true']);
  expect(repeat.json.lease).toEqual(renewed.json.lease);
});

it('a refusal is not kept: the same request succeeds once its cause is gone', async () => {
  const contentId = unique('content');
  const creation = { path: '/keys/leases', as: viewerToken(jwtSecret, 'ann'), body: { contentId } };
  const key = randomUUID();
  expect(outcomeOf(await send(creation, key))).toBe('404 CONTENT_NOT_FOUND');
  await registerContent(server, contentId);
  const answer = await send(creation, key);
  expect([answer.status, isReplayed(answer)]).toEqual([201, undefined]);
});

it('a repeat gets the first answer also after the content was disabled and the lease revoked, and opens nothing', async () => {
  const { contentId, token } = await makeScene(server);
  const creation = { path: '/keys/leases', as: token, body: { contentId } };
  const key = randomUUID();
  const first = await send(creation, key);
  const leaseId = first.json.lease.id;
  await revokeLeases(server, { contentId });
  const disabled = await client.call('DELETE', `/api/v1/content/${contentId}`, { as: admin });
  expect(disabled.status).toBe(200);
  const repeat = await send(creation, key);
  expect([repeat.status, repeat.json]).toEqual([201, first.json]);
  const opened = await client.get(`/keys/${contentId}`, token, { 'x-lease-id': leaseId });
  expect(opened.status).not.toBe(200);
});

it('a repeat by a revoked API key, or without a credential, gets 401 as any request', async () => {
  const { id, raw } = await createApiKey(server, 'full');
  const creation = { path: '/api/v1/api-keys', as: raw, body: { name: unique('key') } };
  const key = randomUUID();
  expect((await send(creation, key)).status).toBe(201);
  await revokeApiKey(server, id);
  expect(outcomeOf(await send(creation, key))).toBe('401 INVALID_API_KEY');
  const anonymous = await client.call('POST', creation.path, {
    json: creation.body,
    headers: { 'idempotency-key': key },
  });
  expect(outcomeOf(anonymous)).toBe('401 UNAUTHENTICATED');
});

it('a repeat leaves no audit row, and another body leaves a refusal', async () => {
  const { id, raw } = await createApiKey(server, 'full');
  const creation = { path: '/api/v1/api-keys', as: raw, body: { name: unique('key') } };
  const key = randomUUID();
  await send(creation, key);
  await send(creation, key);
  await send({ ...creation, body: { name: 'another' } }, key);
  const rows = await readAudit(server, { actor: id });
  expect(rows.map(({ action, code }) => [action, code])).toEqual([
    ['api-key.create', 'IDEMPOTENCY_KEY_REUSED'],
    ['api-key.create', null],
  ]);
});

it('other routes ignore the header, whatever its form', async () => {
  const id = unique('content');
  const headers = { 'idempotency-key': 'x' };
  const register = () =>
    client.call('POST', '/api/v1/content', { as: admin, json: { id, name: 'Film' }, headers });
  expect([(await register()).status, (await register()).status]).toEqual([201, 200]);
});

it('the OpenAPI document has the header at exactly the four routes that know it', () => {
  const documented = Object.entries(client.api.document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { parameters = [] } = operation as { parameters?: { name: string; in: string }[] };
      const isKnown = parameters.some((one) => one.in === 'header' && /^idempotency-key$/i.test(one.name));
      return isKnown ? [`${method.toUpperCase()} ${path}`] : [];
    }),
  );
  expect(documented.sort()).toEqual([
    'POST /api/v1/api-keys',
    'POST /api/v1/webhooks',
    'POST /keys/leases',
    'POST /keys/sessions',
  ]);
});
