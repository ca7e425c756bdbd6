import { type Answer, outcomeOf } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import { endProcess, makeTestFolder, openInTest } from '@latchkey/support/black-box/own-process';
import {
  askForKey,
  createLease,
  expectKey,
  makeScene,
  oncePropagated,
  readAudit,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { playlistOrigin } from '@latchkey/support/black-box/shared-settings';
import { openShared, openTarget, type Target } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { setPlaylist } from '@latchkey/support/playback/open-session';
import { laterToken, nowSeconds, viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;
const blocked = '403 VIEWER_BLOCKED';
const inFuture = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

const pathOf = (viewerId: string) => `/api/v1/viewers/${encodeURIComponent(viewerId)}/block`;
const put = (viewerId: string, json: object | undefined = {}, of: Target = target, query = '') =>
  of.client.call('PUT', `${pathOf(viewerId)}${query}`, { as: of.adminApiKey, json });

async function block(viewerId: string, json: object = {}, of: Target = target) {
  const answer = await put(viewerId, json, of);
  expect(answer.status).toBe(200);
  return answer.json;
}
const lift = (viewerId: string, of: Target = target): Promise<Answer> =>
  of.client.call('DELETE', pathOf(viewerId), { as: of.adminApiKey });
const blockOf = async (viewerId: string) => (await client.get(pathOf(viewerId), admin)).json.block;

const askForLease = async ({ token, contentId }: Pick<Scene, 'token' | 'contentId'>, of: Target = target) =>
  outcomeOf(await of.client.post('/keys/leases', token, { contentId }));

/** Tokens of the viewer from before now, of now, and from later than any mark holds against. */
const tokensOf = (viewerId: string) => [
  viewerToken(jwtSecret, viewerId, { iat: nowSeconds() - 60 }),
  viewerToken(jwtSecret, viewerId),
  laterToken(jwtSecret, viewerId),
];

it('a blocked viewer gets no key and no lease by any token, however new, and other viewers do', async () => {
  const scene = await makeScene(target);
  const other = { ...scene, token: viewerToken(jwtSecret, unique('viewer')) };
  expect(await askForKey(target, scene)).toBe('200');
  await block(scene.viewerId);
  for (const token of tokensOf(scene.viewerId)) {
    await expectKey(target, blocked, { ...scene, token });
    expect(await askForLease({ ...scene, token })).toBe(blocked);
  }
  await expectKey(target, '200', other);
  expect(await askForLease(other)).toBe('201');
});

it('an API key gets no lease for a blocked viewer, and the keys that it fetches itself', async () => {
  const { viewerId, contentId } = await makeScene(target);
  await block(viewerId);
  const { status, code } = await client.post('/keys/leases', admin, { viewerId, contentId });
  expect([status, code]).toEqual([403, 'VIEWER_BLOCKED']);
  await expectKey(target, '200', { contentId, token: admin });
});

it('a block revokes the leases of its viewer: they give no key and are not renewed, by any token or API key', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  expect(await askForKey(target, scene, leaseId)).toBe('200');
  expect(await block(scene.viewerId, { reason: 'shared account' })).toMatchObject({ revoked: 1 });
  for (const token of tokensOf(scene.viewerId)) {
    await expectKey(target, '403 LEASE_REVOKED', { ...scene, token }, leaseId);
    const renewal = await client.post('/keys/leases/renew', token, { leaseId });
    expect(outcomeOf(renewal)).toBe('403 LEASE_REVOKED');
  }
  expect(outcomeOf(await client.post('/keys/leases/renew', admin, { leaseId }))).toBe('403 LEASE_REVOKED');
  const { lease } = (await client.get(`/api/v1/leases/${leaseId}`, admin)).json;
  expect(lease).toMatchObject({ state: 'revoked', revokedBy: 'management', reason: 'shared account' });
});

it('a block ends playback sessions, their playlists and keys, and no new one is made', async () => {
  const server = await openShared('base-path');
  const scene = await makeScene(server);
  await setPlaylist(server, scene.contentId, `${playlistOrigin}/${scene.contentId}/master.m3u8`);
  const ask = async (as: string, more: object = {}) =>
    server.client.post('/keys/sessions', as, { contentId: scene.contentId, ...more });
  const { session } = (await ask(scene.token)).json;
  const byUrl = async () => outcomeOf(await server.client.get(`/keys/${scene.contentId}?s=${session.id}`));
  expect(await byUrl()).toBe('200');
  await block(scene.viewerId, {}, server);
  await oncePropagated(server, async () => {
    expect(await byUrl()).toBe('403 LEASE_REVOKED');
    const playlist = await server.client.get(`/play/${session.id}/index.m3u8`);
    expect(outcomeOf(playlist)).toBe('403 LEASE_REVOKED');
  });
  expect(outcomeOf(await ask(laterToken(server.jwtSecret, scene.viewerId)))).toBe(blocked);
  expect(outcomeOf(await ask(server.adminApiKey, { viewerId: scene.viewerId }))).toBe(blocked);
});

it('a blocked viewer gets no upload URL, however new its token', async () => {
  const server = await openShared('every-route');
  const { viewerId, contentId } = await makeScene(server);
  await block(viewerId, {}, server);
  const as = laterToken(server.jwtSecret, viewerId, { scope: 'upload' });
  const json = { key: `content/${contentId}/1.ts`, contentType: 'video/mp2t' };
  expect(outcomeOf(await server.client.post('/presign', as, json))).toBe(blocked);
});

it('once a block is lifted, a token that was issued during it gets keys and leases, one from before stays marked, and leases stay revoked', async () => {
  const scene = await makeScene(target);
  const { viewerId } = scene;
  const leaseId = await createLease(target, scene);
  await block(viewerId);
  const token = laterToken(jwtSecret, viewerId);
  await expectKey(target, blocked, { ...scene, token });
  expect((await lift(viewerId)).status).toBe(204);
  await expectKey(target, '200', { ...scene, token });
  await expectKey(target, '403 TOKEN_REVOKED', scene);
  await expectKey(target, '403 LEASE_REVOKED', { ...scene, token }, leaseId);
  expect(await askForLease({ ...scene, token })).toBe('201');
  expect(await blockOf(viewerId)).toBeNull();
  expect(await lift(viewerId)).toMatchObject({ status: 404, code: 'NOT_FOUND' });
});

it('a block holds until its end and not longer', async () => {
  const scene = await makeScene(target);
  // A slow server refuses an end that has passed when it reads the request, so this is repeated.
  const { block: made } = await eventually(() => block(scene.viewerId, { until: inFuture(3) }));
  const token = laterToken(jwtSecret, scene.viewerId);
  await eventually(async () => expect(await askForKey(target, { ...scene, token })).toBe('200'));
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(made.until));
  expect(await blockOf(scene.viewerId)).toBeNull();
  expect(await askForLease({ ...scene, token })).toBe('201');
});

it('a revocation and the lift of its mark do not lift a block, and the lift of the block does not lift a later mark', async () => {
  const scene = await makeScene(target);
  const { viewerId } = scene;
  const marks = async () => (await client.get(`/api/v1/marks?viewerId=${viewerId}`, admin)).json.marks;
  const token = laterToken(jwtSecret, viewerId);
  await block(viewerId);
  await revokeLeases(target, { viewerId });
  const [mark] = await marks();
  expect((await client.call('DELETE', `/api/v1/marks/${mark.id}`, { as: admin })).status).toBe(204);
  for (const one of [scene.token, token]) await expectKey(target, blocked, { ...scene, token: one });
  await revokeLeases(target, { viewerId });
  expect((await lift(viewerId)).status).toBe(204);
  await expectKey(target, '403 TOKEN_REVOKED', scene);
  await expectKey(target, '200', { ...scene, token: laterToken(jwtSecret, viewerId) });
  expect(await marks()).toHaveLength(1);
});

it('a further block replaces the end and the reason, and a credential in the reason is hidden', async () => {
  const { viewerId } = await makeScene(target);
  const until = inFuture(3_600);
  const first = await block(viewerId, { until, reason: 'used lk_0123456789abcdef0123456789abcdef' });
  expect(first.block).toMatchObject({ viewerId, until, reason: 'used lk_***' });
  const second = await block(viewerId);
  expect(second.block).toMatchObject({ viewerId, until: null, reason: null });
  expect(await blockOf(viewerId)).toEqual(second.block);
  const { json } = await put(viewerId, { until: null, reason: 'again' });
  expect(json.block).toMatchObject({ until: null, reason: 'again' });
});

it('blocked viewers are listed, the latest first, page by page', async () => {
  const viewers = [unique('viewer'), unique('viewer/"ü'), unique('viewer')];
  for (const viewerId of viewers) await block(viewerId, { reason: viewerId });
  const seen: string[] = [];
  let cursor = '';
  do {
    const { status, json } = await client.get(`/api/v1/viewers/blocks?limit=2${cursor}`, admin);
    expect(status).toBe(200);
    expect(json.blocks.length).toBeLessThanOrEqual(2);
    seen.push(...json.blocks.map(({ viewerId }: { viewerId: string }) => viewerId));
    cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`;
  } while (cursor !== '');
  // Other tests block viewers meanwhile.
  expect(seen.filter((id) => viewers.includes(id))).toEqual([...viewers].reverse());
  for (const odd of ['x', Buffer.from('["v",null]').toString('base64url')])
    expect((await client.get(`/api/v1/viewers/blocks?cursor=${odd}`, admin)).code).toBe('VALIDATION_FAILED');
});

it('the audit has each block and its lift with the reason and the end before and after', async () => {
  const { viewerId } = await makeScene(target);
  const until = inFuture(3_600);
  await block(viewerId, { until, reason: 'shared account' });
  await block(viewerId);
  await lift(viewerId);
  const rows = await readAudit(target, { target: `viewer:${viewerId}` });
  expect(rows.map(({ action, details }) => [action, details])).toEqual([
    ['viewer.unblock', { changes: { block: { before: { until: null }, after: null } } }],
    ['viewer.block', { changes: { block: { before: { until }, after: { until: null } } } }],
    ['viewer.block', { reason: 'shared account', changes: { block: { before: null, after: { until } } } }],
  ]);
});

it('an explanation of a key request names the block and its end', async () => {
  const { viewerId, contentId } = await makeScene(target);
  const until = inFuture(3_600);
  await block(viewerId, { until });
  await oncePropagated(target, async () => {
    const { json } = await client.post('/api/v1/key-decisions', admin, { viewerId, contentId });
    expect(json).toMatchObject({
      outcome: 'refused',
      code: 'VIEWER_BLOCKED',
      withNewToken: { outcome: 'refused', code: 'VIEWER_BLOCKED' },
    });
    const marks = json.steps.find(({ step }: { step: string }) => step === 'marks');
    expect(marks).toMatchObject({ answer: 'refused', facts: { isBlocked: true, blockedUntilAt: until } });
  });
});

it('after the answer to a block with wait=applied, no replica serves a key to the viewer', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const token = laterToken(jwtSecret, scene.viewerId);
  /** As many as reach every replica, because a gateway lets them take turns. */
  const askEverywhere = async (lease?: string) => [
    ...new Set(
      await Promise.all(Array.from({ length: 6 }, () => askForKey(target, { ...scene, token }, lease))),
    ),
  ];
  expect([await askEverywhere(), await askEverywhere(leaseId)]).toEqual([['200'], ['200']]);
  const { status, json } = await put(scene.viewerId, {}, target, '?wait=applied');
  expect([await askEverywhere(), await askEverywhere(leaseId)]).toEqual([[blocked], ['403 LEASE_REVOKED']]);
  expect([status, json]).toEqual([
    200,
    expect.objectContaining({ applied: true, appliedAfterMs: expect.any(Number) }),
  ]);
});

it.each([
  ['an end that has passed', { until: inFuture(-1) }],
  ['an end of now', { until: new Date().toISOString() }],
  ['an end in eleven years', { until: inFuture(11 * 366 * 86_400) }],
  ['an end that is no time', { until: 'tomorrow' }],
  ['an end that is a number', { until: 4_102_444_800_000 }],
  ['a reason of 501 characters', { reason: 'x'.repeat(501) }],
  ['a reason with a control character', { reason: 'a\u0007' }],
  ['a member that does not exist', { viewerId: 'other' }],
])('a block with %s gets 400 and changes nothing', async (_, json) => {
  const { viewerId } = await makeScene(target);
  expect(await put(viewerId, json)).toMatchObject({ status: 400, code: 'VALIDATION_FAILED' });
  expect(await blockOf(viewerId)).toBeNull();
});

it('a block without a body holds until it is lifted', async () => {
  const { viewerId } = await makeScene(target);
  expect((await put(viewerId, undefined)).json.block).toMatchObject({ until: null, reason: null });
});

it('viewers block nobody and lift no block, not even their own', async () => {
  const { viewerId, token } = await makeScene(target);
  await block(viewerId);
  for (const method of ['PUT', 'DELETE', 'GET'])
    expect([401, 403]).toContain((await client.call(method, pathOf(viewerId), { as: token })).status);
  expect(await blockOf(viewerId)).not.toBeNull();
});

it.each(['a/b', 'a b', 'ü🎬', '%2F', 'blocks', "O'Hara;x=1?y#z", 'a'.repeat(1_024)])(
  'the viewer with the id %s is blocked by it, and only that viewer',
  async (part) => {
    const viewerId = part.length > 100 ? unique('v').padEnd(1_024, 'a') : unique(part);
    const scene = { ...(await makeScene(target)), viewerId, token: viewerToken(jwtSecret, viewerId) };
    expect((await block(viewerId)).block.viewerId).toBe(viewerId);
    await expectKey(target, blocked, scene);
    expect((await lift(viewerId)).status).toBe(204);
    expect((await put(`${'a'.repeat(1_024)}b`)).code).toBe('VALIDATION_FAILED');
  },
);

it('a block, and an end of it, hold over a restart of the server', async () => {
  const folder = makeTestFolder();
  const first = await openInTest(folder);
  const scene = await makeScene(first.target);
  await block(scene.viewerId, {}, first.target);
  await endProcess(first.server, 'SIGKILL');
  const second = (await openInTest(folder)).target;
  const token = laterToken(second.jwtSecret, scene.viewerId);
  expect(await askForKey(second, { ...scene, token })).toBe(blocked);
  expect(await askForLease({ ...scene, token }, second)).toBe(blocked);
  expect((await lift(scene.viewerId, second)).status).toBe(204);
  expect(await askForKey(second, { ...scene, token })).toBe('200');
});
