import { randomBytes } from 'node:crypto';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import {
  makeScene,
  oncePropagated,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { playlistOrigin } from '@latchkey/support/black-box/shared-settings';
import { openShared, startServer, type Target } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { setPlaylist } from '@latchkey/support/playback/open-session';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const publicUrl = 'https://keys.example/base';
const [server, off] = await Promise.all([openShared('base-path'), openShared('leases-off')]);
const { client, adminApiKey, jwtSecret } = server;

/** A scene whose content has a playlist. */
async function makePlayable(of: Target = server): Promise<Scene> {
  const scene = await makeScene(of);
  await setPlaylist(of, scene.contentId, `${playlistOrigin}/${scene.contentId}/master.m3u8`);
  return scene;
}

interface Session {
  id: string;
  leaseId: string;
  expiresAt: string;
}

const ask = ({ token, contentId }: Scene, body: object = {}) =>
  client.post('/keys/sessions', token, { contentId, ...body });

async function makeSession(scene: Scene, body: object = {}): Promise<Session> {
  const answer = await ask(scene, body);
  expect(answer.status).toBe(201);
  return answer.json.session;
}

const keyBy = async (contentId: string, sid: string, as?: string) =>
  outcomeOf(await client.get(`/keys/${contentId}?s=${sid}`, as));

it('a session opens its content by its URL alone, with the same key as a token', async () => {
  const scene = await makePlayable();
  const { json, status } = await ask(scene);
  expect(status).toBe(201);
  const { session, url, lease } = json;
  expect(url).toBe(`${publicUrl}/play/${session.id}/index.m3u8`);
  expect(session).toMatchObject({
    leaseId: lease.id,
    viewerId: scene.viewerId,
    contentId: scene.contentId,
  });
  expect(lease).toMatchObject({ kind: 'session', state: 'active' });
  expect(Date.parse(session.endsAt) - Date.parse(session.createdAt)).toBe(21_600_000);
  for (const path of [`/keys/${scene.contentId}`, `/keys/${scene.contentId}/7`]) {
    const [bySession, byToken] = [
      await client.get(`${path}?s=${session.id}`),
      await client.get(path, scene.token),
    ];
    expect(bySession.status).toBe(200);
    expect(bySession.bytes).toEqual(byToken.bytes);
    expect(bySession.headers['cache-control']).toBe('no-store');
  }
});

it('a session opens no other content of the same viewer', async () => {
  const [scene, other] = [await makePlayable(), await makePlayable()];
  const { id } = await makeSession(scene);
  expect(await keyBy(other.contentId, id)).toBe('403 CONTENT_NOT_ENTITLED');
  expect(await keyBy(unique('unheard-of'), id)).toBe('403 CONTENT_NOT_ENTITLED');
  expect(await keyBy(scene.contentId, id)).toBe('200');
});

it('a session in the query of any route but keys, licences and playlists is no credential', async () => {
  const scene = await makePlayable();
  const { id, leaseId } = await makeSession(scene);
  const open = ['GET /health', 'GET /ready', 'GET /api/v1/setup', 'POST /api/v1/setup'];
  const routes = client.api.operations.filter(
    (route) => !open.includes(route) && !/ \/(keys|licenses\/clearkey|play)\/{/.test(route),
  );
  expect(routes.length).toBeGreaterThan(20);
  for (const route of routes) {
    const [method = '', template = ''] = route.split(' ');
    const path = template.replace('{id}', template.includes('leases') ? leaseId : scene.contentId);
    const answer = await client.call(method, `${path}?s=${id}`, method === 'GET' ? {} : { json: {} });
    // Of a playlist, the path is the credential.
    const expected = template.startsWith('/play/') ? '401 INVALID_SESSION' : '401 UNAUTHENTICATED';
    expect(outcomeOf(answer), route).toBe(expected);
  }
});

it('a session is no token: as a bearer of a key request it gets 401', async () => {
  const scene = await makePlayable();
  const { id } = await makeSession(scene);
  expect((await client.get(`/keys/${scene.contentId}`, id)).status).toBe(401);
});

it('a cut, a foreign and a wrong id, and the id of a lease that is a player, get 401 INVALID_SESSION', async () => {
  const scene = await makePlayable();
  const { id } = await makeSession(scene);
  const other = await makeSession(await makePlayable());
  const lease = await client.post('/keys/leases', scene.token, { contentId: scene.contentId });
  const playerId = Buffer.from(lease.json.lease.id.replaceAll('-', ''), 'hex');
  const wrong = [
    '',
    'x',
    id.slice(0, -1),
    `${id}A`,
    id.toUpperCase(),
    // Its lease with the secret of another session, and the other way round.
    swapSecret(id, other.id),
    swapSecret(other.id, id),
    Buffer.concat([playerId, Buffer.alloc(16)]).toString('base64url'),
    Buffer.alloc(32, 7).toString('base64url'),
  ];
  for (const sid of wrong) {
    const answer = await client.get(`/keys/${scene.contentId}?s=${sid}`);
    expect(outcomeOf(answer), sid).toBe('401 INVALID_SESSION');
    expect(answer.headers['www-authenticate']).toContain('error="invalid_token"');
  }
  expect(outcomeOf(await client.get(`/keys/${scene.contentId}?s=${id}&s=${id}`))).toBe('401 INVALID_SESSION');
});

it('Authorization takes precedence over a session, whichever of the two opens the content', async () => {
  const scene = await makePlayable();
  const { id } = await makeSession(scene);
  const otherToken = viewerToken(jwtSecret, scene.viewerId, { content_ids: ['other'] });
  expect(await keyBy(scene.contentId, id, otherToken)).toBe('403 CONTENT_NOT_ENTITLED');
  expect(await keyBy(scene.contentId, 'rubbish', scene.token)).toBe('200');
});

it('a session whose content is disabled gets 404, and plays on once the content is back', async () => {
  const scene = await makePlayable();
  const { id } = await makeSession(scene);
  const setStatus = (status: string) =>
    client.call('PATCH', `/api/v1/content/${scene.contentId}`, { as: adminApiKey, json: { status } });
  await setStatus('disabled');
  await oncePropagated(server, async () =>
    expect(await keyBy(scene.contentId, id)).toBe('404 CONTENT_NOT_FOUND'),
  );
  await setStatus('active');
  await oncePropagated(server, async () => expect(await keyBy(scene.contentId, id)).toBe('200'));
});

it.each([
  ['lease', ({ leaseId }: Session & Scene) => ({ leaseId })],
  ['viewer', ({ viewerId }: Session & Scene) => ({ viewerId })],
  ['content', ({ contentId }: Session & Scene) => ({ contentId })],
  ['viewer and content', ({ viewerId, contentId }: Session & Scene) => ({ viewerId, contentId })],
])('a session that is revoked by %s gets 403 LEASE_REVOKED for its next key', async (_, select) => {
  const scene = await makePlayable();
  const session = await makeSession(scene);
  expect(await keyBy(scene.contentId, session.id)).toBe('200');
  expect((await revokeLeases(server, select({ ...session, ...scene }))).revoked).toBe(1);
  await oncePropagated(server, async () =>
    expect(await keyBy(scene.contentId, session.id)).toBe('403 LEASE_REVOKED'),
  );
  expect(outcomeOf(await ask(scene))).toBe('403 TOKEN_REVOKED');
});

it('a viewer releases its own session, and no other one', async () => {
  const scene = await makePlayable();
  const { id, leaseId } = await makeSession(scene);
  const stranger = viewerToken(jwtSecret, unique('viewer'));
  const release = (token: string) => client.post('/keys/leases/revoke', token, { leaseId });
  expect(outcomeOf(await release(stranger))).toBe('404 LEASE_NOT_FOUND');
  expect(outcomeOf(await release(scene.token))).toBe('200');
  await oncePropagated(server, async () =>
    expect(await keyBy(scene.contentId, id)).toBe('403 LEASE_REVOKED'),
  );
  // A release leaves no mark.
  expect((await ask(scene)).status).toBe(201);
});

it('a session and its viewer share one key pace', async () => {
  const scene = await makePlayable();
  const keyPeriods = { mode: 'sequence', count: 100, periodSeconds: 600, burst: 2, speed: 1 };
  const path = `/api/v1/content/${scene.contentId}`;
  await client.call('PATCH', path, { as: adminApiKey, json: { keyPeriods } });
  const { id } = await makeSession(scene);
  const ofEpoch = async (epoch: number) =>
    outcomeOf(await client.get(`/keys/${scene.contentId}/${epoch}?s=${id}`));
  await oncePropagated(server, async () => expect(await ofEpoch(100)).toBe('404 EPOCH_NOT_FOUND'));
  const given = [];
  for (let epoch = 0; epoch < 40; epoch++) given.push(await ofEpoch(epoch));
  expect(given.filter((answer) => answer === '200').length).toBeLessThan(20);
  expect(given.at(-1)).toBe('429 KEY_PACE_EXCEEDED');
});

it('each use extends a session for some time from then on, and its last use is shown', async () => {
  const scene = await makePlayable();
  const { id, leaseId, expiresAt } = await makeSession(scene, { ttlSeconds: 12 });
  const look = async () => (await client.get(`/api/v1/leases/${leaseId}`, adminApiKey)).json.lease;
  expect((await look()).lastUsedAt).toBeNull();
  const use = async () => {
    expect(await keyBy(scene.contentId, id)).toBe('200');
    const lease = await look();
    expect(lease.lastUsedAt).not.toBeNull();
    expect(Date.parse(lease.expiresAt)).toBeGreaterThan(Date.parse(expiresAt));
  };
  await eventually(use);
});

it.each([0, -1, 1.5, '60'])('a session with the ttlSeconds %j gets 400', async (ttlSeconds) => {
  expect(outcomeOf(await ask(await makePlayable(), { ttlSeconds }))).toBe('400 VALIDATION_FAILED');
});

it('an API key names the viewer of a session, and a viewer does not', async () => {
  const scene = await makePlayable();
  const { contentId, viewerId } = scene;
  const { json } = await client.post('/keys/sessions', adminApiKey, { contentId, viewerId });
  expect(json.session.viewerId).toBe(viewerId);
  expect(outcomeOf(await client.post('/keys/sessions', adminApiKey, { contentId }))).toBe(
    '400 VALIDATION_FAILED',
  );
  expect(outcomeOf(await ask(scene, { viewerId }))).toBe('400 VALIDATION_FAILED');
});

it('a content without a playlistUrl has no session, and the refusal names what is missing', async () => {
  const answer = await ask(await makeScene(server));
  expect(outcomeOf(answer)).toBe('409 SESSION_UNAVAILABLE');
  expect(answer.json.missing).toEqual(['playlistUrl']);
});

it('a content may have the id `sessions`, and its key is served', async () => {
  const id = 'sessions';
  const json = { id, name: id };
  await client.call('POST', '/api/v1/content', { as: adminApiKey, json });
  const token = viewerToken(jwtSecret, unique('viewer'));
  // Not by the client, which checks answers: in the OpenAPI document this path takes only POST, and is not a content.
  const askForKey = async () => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${server.url}/keys/sessions`, { headers });
    client.answered.push(answer.headers.get('x-request-id') ?? '');
    return answer.status;
  };
  await oncePropagated(server, async () => expect(await askForKey()).toBe(200));
});

/** @returns the lease of one session with the secret of the other */
function swapSecret(lease: string, secret: string): string {
  const [of, by] = [lease, secret].map((sid) => Buffer.from(sid, 'base64url'));
  return Buffer.concat([of?.subarray(0, 16) ?? [], by?.subarray(16) ?? []] as Buffer[]).toString('base64url');
}

it('with LEASE_MODE=off there are no sessions: creating one is 404, and a session in a key request 401', async () => {
  const { contentId, token } = await makeScene(off);
  expect(outcomeOf(await off.client.post('/keys/sessions', token, { contentId }))).toBe('404 NOT_FOUND');
  const sid = Buffer.alloc(32, 7).toString('base64url');
  expect(outcomeOf(await off.client.get(`/keys/${contentId}?s=${sid}`))).toBe('401 INVALID_SESSION');
});

it('an address that sends made-up sessions has no more of them looked up, while a session that plays goes on', async () => {
  // Its own, because it looks up no further sessions for this address afterwards.
  const flooded = await startServer({ PUBLIC_URL: publicUrl, PLAYLIST_ORIGINS: playlistOrigin });
  const scene = await makePlayable(flooded);
  const { json } = await flooded.client.post('/keys/sessions', scene.token, { contentId: scene.contentId });
  const path = `/keys/${scene.contentId}`;
  const play = async () => outcomeOf(await flooded.client.get(`${path}?s=${json.session.id}`));
  // On each replica.
  for (let n = 0; n < 12; n++) expect(await play()).toBe('200');
  const seen: string[] = [];
  // Several replicas count for themselves.
  for (let n = 0; n < 1_000 && seen.at(-1) !== '429 RATE_LIMITED'; n++) {
    const sid = randomBytes(32).toString('base64url');
    const answer = await flooded.client.get(`${path}?s=${sid}`);
    if (answer.status === 429) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    seen.push(outcomeOf(answer));
  }
  expect(new Set(seen)).toEqual(new Set(['401 INVALID_SESSION', '429 RATE_LIMITED']));
  expect(await play()).toBe('200');
});
