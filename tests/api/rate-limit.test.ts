import { randomUUID } from 'node:crypto';
import type { Answer } from '@latchkey/support/black-box/answer';
import { createApiKey } from '@latchkey/support/black-box/server-actions';
import { openShared, startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// The figures of docs/reference/contract.md#rate-limits. Each client here has an address of its own, so that tests do not count each
// other's requests.
const [server, off, figures] = await Promise.all([
  openShared('rate-limited'),
  openShared('any-content'),
  // Its own: no other test needs these figures.
  startServer({
    RATE_LIMIT: 'on',
    RATE_LIMIT_KEYS_PER_MINUTE: '3',
    RATE_LIMIT_API_PER_MINUTE: '5',
    RATE_LIMIT_DASHBOARD_PER_MINUTE: '7',
    RATE_LIMIT_LEASES_PER_MINUTE: '2',
    RATE_LIMIT_API_KEY_PER_MINUTE: '4',
    TRUST_PROXY: '1',
    CONTENT_MODE: 'any',
  }),
]);
const { client, adminApiKey: admin, jwtSecret } = server;

let addresses = 0;
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` });
const newViewer = () => viewerToken(jwtSecret, unique('viewer'));

const as = (token: string, json: object) => ({ as: token, json, headers: newAddress() });

/** Calls until the first 429, which must come after exactly `count` calls. @param limit what it names @returns the 429 */
async function exhaust(count: number, call: () => Promise<Answer>, limit = count): Promise<Answer> {
  for (let n = 0; n < count; n++) expect([n, (await call()).code]).not.toEqual([n, 'RATE_LIMITED']);
  const answer = await call();
  expect([answer.status, answer.code]).toEqual([429, 'RATE_LIMITED']);
  const wait = Number(answer.headers['retry-after']);
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  expect(answer.headers['ratelimit-policy']).toContain(`q=${limit}`);
  expect(answer.headers['ratelimit-policy']).toContain('w=60');
  expect(answer.headers.ratelimit).toContain('r=0');
  return answer;
}

it('RATE_LIMIT=on allows each viewer 60 key requests a minute, from any address, for a content or its epochs', async () => {
  const [token, other] = [newViewer(), newViewer()];
  let n = 0;
  await exhaust(60, () => client.get(n++ % 2 === 0 ? '/keys/x' : `/keys/x/${n}`, token, newAddress()));
  const shared = newAddress();
  expect((await client.get('/keys/x', token, shared)).code).toBe('RATE_LIMITED');
  expect((await client.get('/keys/x', other, shared)).status).toBe(200);
});

it('RATE_LIMIT=on allows an address without a credential 60 key requests a minute', async () => {
  const address = newAddress();
  const answer = await exhaust(60, () => client.get('/keys/x', undefined, address));
  expect(answer.headers['www-authenticate']).toBeUndefined();
  expect((await client.get('/keys/x', undefined, newAddress())).code).toBe('UNAUTHENTICATED');
  expect((await client.get('/keys/x', newViewer(), address)).status).toBe(200);
});

it('RATE_LIMIT=on allows a viewer 10 new leases a minute', async () => {
  const token = newViewer();
  await exhaust(10, () => client.post('/keys/leases', token, { contentId: unique('c') }));
  expect((await client.get('/keys/x', token)).status).toBe(200);
});

it('RATE_LIMIT=on counts renewals together with new leases and sessions of a viewer, from any address', async () => {
  const token = newViewer();
  const { json } = await client.post('/keys/leases', token, { contentId: unique('c') });
  const renew = (leaseId: string) => () => client.call('POST', '/keys/leases/renew', as(token, { leaseId }));
  await exhaust(9, renew(json.lease.id), 10);
  const contentId = unique('c');
  for (const path of ['/keys/leases', '/keys/sessions'])
    expect((await client.call('POST', path, as(token, { contentId }))).code).toBe('RATE_LIMITED');
  expect((await client.get('/keys/x', token)).status).toBe(200);
});

it('RATE_LIMIT=on counts refused renewals of unknown leases', async () => {
  const token = newViewer();
  await exhaust(10, () => client.call('POST', '/keys/leases/renew', as(token, { leaseId: randomUUID() })));
});

it('RATE_LIMIT=on counts revocations of unknown leases, and a viewer whose limit is reached can still release its own lease', async () => {
  const token = newViewer();
  const { json } = await client.post('/keys/leases', token, { contentId: unique('c') });
  const revoke = (leaseId: string) => client.call('POST', '/keys/leases/revoke', as(token, { leaseId }));
  let n = 0;
  const unknown = [() => randomUUID(), () => 'no-lease'];
  await exhaust(9, () => revoke(unknown[n++ % 2]?.() ?? ''), 10);
  expect((await client.post('/keys/leases', token, { contentId: 'x' })).code).toBe('RATE_LIMITED');
  expect((await revoke(json.lease.id)).json).toMatchObject({ revoked: 1 });
  expect((await revoke(json.lease.id)).json).toMatchObject({ revoked: 0 });
});

it.each(['/keys/leases/renew', '/keys/leases/revoke'])(
  'RATE_LIMIT=on allows an address without a valid credential 10 calls of %s a minute',
  async (path) => {
    const address = newAddress();
    const body = { json: { leaseId: randomUUID() }, headers: address };
    let n = 0;
    await exhaust(10, () =>
      client.call('POST', path, n++ % 2 === 0 ? body : { ...body, as: `lk_${'0'.repeat(64)}` }),
    );
    expect((await client.get('/keys/x', newViewer(), address)).status).toBe(200);
  },
);

it('RATE_LIMIT=on limits no revocation by an API key', async () => {
  const { raw } = await createApiKey(figures, 'full');
  for (let n = 0; n < 12; n++) {
    const { status } = await figures.client.call('POST', '/keys/leases/revoke', {
      as: raw,
      json: n % 2 === 0 ? { viewerId: unique('viewer') } : { leaseId: randomUUID() },
      headers: newAddress(),
    });
    expect(status).toBe(n % 2 === 0 ? 200 : 404);
  }
});

it('RATE_LIMIT=on allows an address 30 API calls a minute, with any key and with a wrong one', async () => {
  for (const credential of [admin, `lk_${'0'.repeat(64)}`]) {
    const address = newAddress();
    await exhaust(30, () => client.get('/api/v1/api-keys/current', credential, address));
  }
});

it('RATE_LIMIT=on allows an address 600 playlists of sessions a minute, with wrong ids too', async () => {
  const address = newAddress();
  await exhaust(600, () => client.get('/play/x/index.m3u8', undefined, address));
  expect((await client.get('/keys/x', undefined, address)).code).toBe('UNAUTHENTICATED');
});

it('rate limits count an IPv6 network of 64 bits as one address', async () => {
  let n = 0;
  const own = () => ({ 'x-forwarded-for': `2001:db8:0:1::${(++n).toString(16)}` });
  await exhaust(60, () => client.get('/keys/x', undefined, own()));
  const other = { 'x-forwarded-for': '2001:db8:0:2::1' };
  expect((await client.get('/keys/x', undefined, other)).code).toBe('UNAUTHENTICATED');
});

it('an encoder may fetch the keys of a hundred epochs, without using up the limit of its address', async () => {
  const encoder = await createApiKey(server, 'playback');
  const address = newAddress();
  for (let epoch = 0; epoch < 100; epoch++)
    expect((await client.get(`/keys/x/${epoch}`, encoder.raw, address)).status).toBe(200);
  expect((await client.get('/keys/x', undefined, address)).code).toBe('UNAUTHENTICATED');
});

it('rate limits do not count /health, /ready and /openapi.json', async () => {
  const address = newAddress();
  for (let n = 0; n < 70; n++)
    for (const path of ['/health', '/ready'])
      expect((await client.get(path, undefined, address)).status).toBe(200);
  expect((await client.get('/openapi.json', undefined, address)).status).toBe(200);
});

it('each rate limit is a setting, and the limit of API keys counts for each key from any address', async () => {
  const [one, other] = [await createApiKey(figures, 'full'), await createApiKey(figures, 'full')];
  const { client: asked, jwtSecret: secret } = figures;
  const contentId = unique('c');
  const calls: [number, (address: Record<string, string>) => Promise<Answer>][] = [
    [3, (address) => asked.get('/keys/x', viewerToken(secret, 'ada'), address)],
    [4, (address) => asked.get('/keys/x', one.raw, address)],
    [4, (address) => asked.get('/keys/x', other.raw, address)],
    [
      2,
      (address) =>
        asked.call('POST', '/keys/leases', {
          as: viewerToken(secret, 'ada'),
          json: { contentId },
          headers: address,
        }),
    ],
  ];
  for (const [count, call] of calls) await exhaust(count, () => call(newAddress()));
  const address = newAddress();
  await exhaust(5, () => asked.get('/api/v1/api-keys', undefined, address));
});

it('what the dashboard reads has a limit for its API key, which nobody without a key can use', async () => {
  const ofDashboard = { 'x-requested-with': 'latchkey-dashboard' };
  const { raw } = await createApiKey(figures, 'admin');
  const read = (credential?: string, address = newAddress()) =>
    figures.client.get('/api/v1/api-keys', credential, { ...ofDashboard, ...address });
  await exhaust(7, () => read(raw));
  expect((await read(figures.adminApiKey)).status).toBe(200);
  const address = newAddress();
  await exhaust(5, () => read(undefined, address));
  const other = newAddress();
  await exhaust(5, () =>
    figures.client.call('POST', '/api/v1/content', {
      as: figures.adminApiKey,
      json: { name: unique('name') },
      headers: { ...ofDashboard, ...other },
    }),
  );
});

it('RATE_LIMIT=off limits nothing', async () => {
  const token = viewerToken(off.jwtSecret, unique('viewer'));
  for (let n = 0; n < 100; n++) {
    const { status, headers } = await off.client.get('/keys/x', token);
    expect([status, headers.ratelimit]).toEqual([200, undefined]);
  }
});
