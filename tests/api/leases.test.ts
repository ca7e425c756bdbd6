import {
  askForKey,
  createLease,
  makeScene,
  registerContent,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;
const path = '/keys/leases';
const lifeSeconds = (lease: { createdAt: string; expiresAt: string }) =>
  (Date.parse(lease.expiresAt) - Date.parse(lease.createdAt)) / 1_000;

it('a viewer gets a lease with which the key of the content is served', async () => {
  const scene = await makeScene(target);
  const { status, json } = await client.post(path, scene.token, {
    contentId: scene.contentId,
    deviceId: 'tv',
  });
  expect(status).toBe(201);
  expect(json.lease).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    viewerId: scene.viewerId,
    contentId: scene.contentId,
    deviceId: 'tv',
    state: 'active',
    createdAt: expect.any(String),
    renewedAt: null,
    expiresAt: expect.any(String),
    revokedAt: null,
    revokedBy: null,
    reason: null,
    kind: 'player',
    lastUsedAt: null,
  });
  expect(json).toMatchObject({ ttl_seconds: 300, renew_after_seconds: 225 });
  expect(lifeSeconds(json.lease)).toBe(300);
  expect(await askForKey(target, scene, json.lease.id)).toBe('200');
  expect((await client.get(`/api/v1/leases/${json.lease.id}`, admin)).json.lease).toEqual(json.lease);
});

it.each([
  [60, 60, 45],
  [1, 1, 1],
  [3_600, 3_600, 2_700],
  [86_400, 3_600, 2_700],
])(
  'a lease that is requested for %i s lives %i s, and should be renewed after %i s',
  async (requestedTtlSeconds, ttl, renewAfter) => {
    const { contentId, token } = await makeScene(target);
    const { json } = await client.post(path, token, { contentId, requestedTtlSeconds });
    expect(json).toMatchObject({ ttl_seconds: ttl, renew_after_seconds: renewAfter });
    expect(lifeSeconds(json.lease)).toBe(ttl);
  },
);

it('an API key may create a lease for a viewer', async () => {
  const scene = await makeScene(target);
  const { contentId, viewerId } = scene;
  const { status, json } = await client.post(path, admin, { contentId, viewerId });
  expect([status, json.lease.viewerId]).toEqual([201, viewerId]);
  expect(await askForKey(target, scene, json.lease.id)).toBe('200');
});

it('the same viewer, content and device gets its active lease again, renewed', async () => {
  const { contentId, token } = await makeScene(target);
  const ask = { contentId, deviceId: 'tv' };
  const first = (await client.post(path, token, { ...ask, requestedTtlSeconds: 60 })).json;
  const again = await client.post(path, token, { ...ask, requestedTtlSeconds: 600 });
  expect(again.status).toBe(200);
  expect(again.json).toMatchObject({ ttl_seconds: 600, lease: { id: first.lease.id, state: 'active' } });
  expect(again.json.lease.renewedAt).not.toBeNull();
  expect(Date.parse(again.json.lease.expiresAt)).toBeGreaterThan(Date.parse(first.lease.expiresAt));
});

it('each request without a deviceId is a separate playback with a lease of its own', async () => {
  const { contentId, token, viewerId } = await makeScene(target);
  const ids = new Set<string>();
  for (let n = 0; n < 3; n++) {
    const { status, json } = await client.post(path, token, { contentId });
    expect(status).toBe(201);
    ids.add(json.lease.id);
  }
  expect(ids.size).toBe(3);
  expect((await client.get(`/api/v1/leases?viewerId=${viewerId}`, admin)).json.total_active).toBe(3);
});

it('many concurrent requests for the same device create one lease', async () => {
  const { contentId, token } = await makeScene(target);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => client.post(path, token, { contentId, deviceId: 'tv' })),
  );
  expect(new Set(answers.map(({ json }) => json.lease.id)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
});

it('leases are listed by viewer, content and state, with the number of active ones', async () => {
  const viewerId = unique('viewer');
  const token = viewerToken(jwtSecret, viewerId);
  const contents = [
    await registerContent(target),
    await registerContent(target),
    await registerContent(target),
  ];
  const ids = [];
  for (const contentId of contents) ids.push(await createLease(target, { token, contentId }));
  await revokeLeases(target, { leaseId: ids[0] ?? '' });

  const list = async (query: string) =>
    (await client.get(`/api/v1/leases?viewerId=${viewerId}${query}`, admin)).json;
  const idsIn = (json: { leases: { id: string }[] }) => json.leases.map(({ id }) => id);
  expect(idsIn(await list('')).sort()).toEqual(ids.toSorted());
  expect((await list('')).total_active).toBe(2);
  expect(idsIn(await list('&state=revoked'))).toEqual([ids[0]]);
  expect(idsIn(await list('&state=expired'))).toEqual([]);
  expect(idsIn(await list(`&contentId=${contents[1]}`))).toEqual([ids[1]]);
  expect(idsIn(await list(`&contentId=${unique('none')}`))).toEqual([]);
  const prefer = { prefer: 'return=minimal' };
  const minimal = await client.get(`/api/v1/leases?viewerId=${viewerId}`, admin, prefer);
  expect([minimal.json.total_active, minimal.headers['preference-applied']]).toEqual([
    undefined,
    prefer.prefer,
  ]);
});

it.each([undefined, '', 'a\nb', 'é'.repeat(513)])(
  'a lease that an API key creates for the viewer %j gets 400',
  async (viewerId) => {
    const { contentId } = await makeScene(target);
    const answer = await client.post(path, admin, { contentId, viewerId });
    expect([answer.status, answer.json.errors[0].path]).toEqual([400, '/viewerId']);
  },
);

it.each([
  ['contentId', undefined],
  ['contentId', 'a/b'],
  ['contentId', 'leases'],
  ['requestedTtlSeconds', 0],
  ['requestedTtlSeconds', -1],
  ['requestedTtlSeconds', 1.5],
  ['requestedTtlSeconds', 2 ** 53],
  ['deviceId', 5],
  ['deviceId', ''],
  ['deviceId', 'x'.repeat(201)],
  ['deviceId', 'a\u0000b'],
  // A viewer names itself by its token.
  ['viewerId', 'ann'],
])('a lease that a viewer creates with the %s %j gets 400, which names it', async (name, value) => {
  const { contentId, token } = await makeScene(target);
  const answer = await client.post(path, token, { contentId, [name]: value });
  expect([answer.status, answer.json.errors[0].path]).toEqual([400, `/${name}`]);
});

it('a token for another content gets no lease: 403 CONTENT_NOT_ENTITLED, also if there is no such content', async () => {
  const { contentId, viewerId } = await makeScene(target);
  const token = viewerToken(jwtSecret, viewerId, { content_ids: ['another'] });
  for (const asked of [contentId, unique('none')])
    expect((await client.post(path, token, { contentId: asked })).code).toBe('CONTENT_NOT_ENTITLED');
});

it('a lease for an unknown or disabled content gets 404 CONTENT_NOT_FOUND', async () => {
  const { contentId, token } = await makeScene(target);
  expect((await client.post(path, token, { contentId: unique('none') })).code).toBe('CONTENT_NOT_FOUND');
  await client.call('DELETE', `/api/v1/content/${contentId}`, { as: admin });
  expect((await client.post(path, token, { contentId })).code).toBe('CONTENT_NOT_FOUND');
});

it.each([crypto.randomUUID(), 'nonsense', '%00'])(
  'GET of the unknown lease %s gets LEASE_NOT_FOUND',
  async (id) => {
    expect((await client.get(`/api/v1/leases/${id}`, admin)).code).toBe('LEASE_NOT_FOUND');
  },
);
