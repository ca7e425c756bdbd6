import { eventually } from '@latchkey/support/black-box/eventually';
import {
  askForKey,
  createApiKey,
  createLease,
  expectKey,
  makeScene,
  oncePropagated,
  registerContent,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;
const path = '/keys/leases/revoke';

/** Two viewers, each with a lease for each of two contents. Each key was requested once, so that all states are cached. */
async function makeHouse() {
  const contents = [await registerContent(target), await registerContent(target)];
  const viewers = [unique('viewer'), unique('viewer')];
  const plays: (Scene & { leaseId: string })[] = [];
  for (const viewerId of viewers) {
    const token = viewerToken(jwtSecret, viewerId);
    for (const contentId of contents) {
      const leaseId = await createLease(target, { token, contentId });
      plays.push({ viewerId, contentId, token, leaseId });
    }
  }
  const ask = () => Promise.all(plays.map((play) => askForKey(target, play, play.leaseId)));
  const askWithoutLease = () => Promise.all(plays.map((play) => askForKey(target, play)));
  expect(await ask()).toEqual(['200', '200', '200', '200']);
  expect(await askWithoutLease()).toEqual(['200', '200', '200', '200']);
  const [play] = plays;
  if (!play) throw new Error('there are four');
  return { play, ask, askWithoutLease };
}

const gone = '403 LEASE_REVOKED';
const marked = '403 TOKEN_REVOKED';

it.each([
  // Plays: first viewer first content, first viewer second, second viewer first, second viewer second.
  ['leaseId', 1, [gone, '200', '200', '200'], [marked, '200', '200', '200']],
  ['viewerId', 2, [gone, gone, '200', '200'], [marked, marked, '200', '200']],
  ['contentId', 2, [gone, '200', gone, '200'], [marked, '200', marked, '200']],
  ['viewerId contentId', 1, [gone, '200', '200', '200'], [marked, '200', '200', '200']],
] as const)(
  'after the answer to a revocation by %s, no key is served to those whom it names, and a repeated one changes nothing',
  async (names, count, withLease, without) => {
    const { play, ask, askWithoutLease } = await makeHouse();
    const selector = Object.fromEntries(names.split(' ').map((name) => [name, play[name as 'leaseId']]));
    const { revoked, leases } = await revokeLeases(target, { ...selector, reason: 'shared account' });
    await oncePropagated(target, async () => {
      expect(await ask()).toEqual(withLease);
      expect(await askWithoutLease()).toEqual(without);
    });
    expect([revoked, leases.length]).toEqual([count, count]);
    for (const lease of leases)
      expect(lease).toMatchObject({ state: 'revoked', revokedBy: 'management', reason: 'shared account' });
    expect(leases.map(({ id }) => id)).toContain(play.leaseId);
    const look = async () => (await client.get(`/api/v1/leases/${play.leaseId}`, admin)).json.lease;
    const first = await look();
    expect(await revokeLeases(target, { ...selector, reason: 'again' })).toEqual({ revoked: 0, leases: [] });
    expect(await look()).toEqual(first);
  },
);

it('a revocation of more leases than its answer lists counts and revokes all of them', async () => {
  const contentId = await registerContent(target);
  const viewerId = unique('viewer');
  const token = viewerToken(jwtSecret, viewerId);
  const oldest = await createLease(target, { token, contentId });
  for (let n = 1; n < 105; n++) await client.post('/keys/leases', admin, { contentId, viewerId });
  const { revoked, leases } = await revokeLeases(target, { contentId });
  expect([revoked, leases.length]).toEqual([105, 100]);
  // Their rows are written afterwards, the oldest last.
  const list = async (state: string) =>
    (await client.get(`/api/v1/leases?contentId=${contentId}&limit=500&state=${state}`, admin)).json;
  expect(await list('active')).toMatchObject({ leases: [], total_active: 0 });
  expect((await list('revoked')).leases).toHaveLength(105);
  const { json } = await client.get(`/api/v1/leases/${oldest}`, admin);
  expect(json.lease).toMatchObject({ state: 'revoked', revokedBy: 'management' });
  const renewal = await client.post('/keys/leases/renew', token, { leaseId: oldest });
  expect(renewal.code).toBe('LEASE_REVOKED');
  await expectKey(target, gone, { token, contentId }, oldest);
  expect(await revokeLeases(target, { contentId })).toEqual({ revoked: 0, leases: [] });
  await eventually(async () => {
    const { audit } = (await client.get(`/api/v1/audit?target=content:${contentId}`, admin)).json;
    expect(audit.map((row: { affected: number }) => row.affected)).toEqual([0, 105]);
  });
});

it('a viewer may release its own lease, which leaves no mark', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const { status, json } = await client.post(path, scene.token, { leaseId, reason: 'window closed' });
  expect([status, json.revoked]).toEqual([200, 1]);
  expect(json.leases[0]).toMatchObject({ revokedBy: 'viewer', reason: 'window closed' });
  await expectKey(target, gone, scene, leaseId);
  expect(await askForKey(target, scene)).toBe('200');
  expect((await client.post('/keys/leases', scene.token, { contentId: scene.contentId })).status).toBe(201);
  expect((await client.post(path, scene.token, { leaseId })).json.revoked).toBe(0);
});

it.each([
  {},
  { reason: 'x' },
  { leaseId: crypto.randomUUID(), viewerId: 'v' },
  { leaseId: crypto.randomUUID(), contentId: 'c' },
  { viewerId: '' },
  { viewerId: 5 },
  { contentId: 'not an id' },
  { viewerId: 'v', reason: 5 },
  { viewerId: 'v', reason: 'x'.repeat(501) },
  { viewerId: 'v', reason: 'a\u0007' },
])('a revocation with the body %j gets 400', async (json) =>
  expect((await client.post(path, admin, json)).status).toBe(400),
);

it.each(['viewerId', 'contentId'])('a viewer may not revoke by %s, not even its own leases', async (name) => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const answer = await client.post(path, scene.token, { [name]: scene[name as 'viewerId'] });
  expect([answer.status, answer.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  expect(await askForKey(target, scene, leaseId)).toBe('200');
});

it.each(['upload', 'playback'])('an API key with the scope %s may not revoke', async (scope) => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const { raw } = await createApiKey(target, scope);
  for (const json of [{ leaseId }, { viewerId: scene.viewerId }, { contentId: scene.contentId }])
    expect((await client.post(path, raw, json)).code).toBe('INSUFFICIENT_SCOPE');
  expect(await askForKey(target, scene, leaseId)).toBe('200');
});

it('for a viewer, the lease of another viewer looks like an unknown one', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const stranger = viewerToken(jwtSecret, unique('viewer'));
  const foreign = await client.post(path, stranger, { leaseId });
  const missing = await client.post(path, stranger, { leaseId: crypto.randomUUID() });
  expect(foreign.code).toBe('LEASE_NOT_FOUND');
  expect({ ...foreign.json, requestId: '' }).toEqual({ ...missing.json, requestId: '' });
  expect(await askForKey(target, scene, leaseId)).toBe('200');
});

it.each([crypto.randomUUID(), 'nonsense'])(
  'revoking the unknown lease %s gets LEASE_NOT_FOUND',
  async (leaseId) => {
    expect((await client.post(path, admin, { leaseId })).code).toBe('LEASE_NOT_FOUND');
  },
);
