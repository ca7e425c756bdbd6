import {
  askForKey,
  createApiKey,
  createLease,
  makeScene,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;
/** Requests in a row that reach every replica, because a gateway lets them take turns. */
const timesOfEach = 6;

/** The distinct outcomes of requests that are sent at once. */
async function askEverywhere(ask: () => Promise<string>): Promise<string[]> {
  const outcomes = await Promise.all(Array.from({ length: timesOfEach }, ask));
  return [...new Set(outcomes)];
}

/** A viewer with a lease, whose states every replica has. */
async function play() {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const withLease = () => askEverywhere(() => askForKey(target, scene, leaseId));
  const without = () => askEverywhere(() => askForKey(target, scene));
  expect([await withLease(), await without()]).toEqual([['200'], ['200']]);
  return { ...scene, leaseId, withLease, without };
}

const applied = { applied: true, appliedAfterMs: expect.any(Number) };

it.each(['leaseId', 'viewerId', 'contentId'] as const)(
  'after the answer to a revocation by %s with wait=applied, no replica serves a key to the viewer',
  async (name) => {
    const playing = await play();
    const { status, json } = await client.post('/keys/leases/revoke?wait=applied', admin, {
      [name]: playing[name],
    });
    expect([await playing.withLease(), await playing.without()]).toEqual([
      ['403 LEASE_REVOKED'],
      ['403 TOKEN_REVOKED'],
    ]);
    expect([status, json]).toEqual([200, expect.objectContaining({ revoked: 1, ...applied })]);
  },
);

it('a revocation that is repeated with wait=applied waits for the first one', async () => {
  const playing = await play();
  await revokeLeases(target, { viewerId: playing.viewerId });
  const { json } = await client.post('/keys/leases/revoke?wait=applied', admin, {
    viewerId: playing.viewerId,
  });
  expect([await playing.withLease(), await playing.without()]).toEqual([
    ['403 LEASE_REVOKED'],
    ['403 TOKEN_REVOKED'],
  ]);
  expect(json).toMatchObject({ revoked: 0, ...applied });
});

it.each([
  ['DELETE', undefined],
  ['PATCH', { status: 'disabled' }],
] as const)(
  'after the answer to a %s that disables a content with wait=applied, no replica serves its key',
  async (method, body) => {
    const playing = await play();
    const path = `/api/v1/content/${playing.contentId}?wait=applied`;
    const { status, json } = await client.call(method, path, { as: admin, json: body });
    expect(await playing.without()).toEqual(['404 CONTENT_NOT_FOUND']);
    expect([status, json.content.status]).toEqual([200, 'disabled']);
    expect(json).toMatchObject(applied);
  },
);

it('after the answer to the revocation of an API key with wait=applied, no replica serves a key to it', async () => {
  const { contentId } = await makeScene(target);
  const { id, raw } = await createApiKey(target, 'playback');
  const ask = () => askEverywhere(() => askForKey(target, { token: raw, contentId }));
  expect(await ask()).toEqual(['200']);
  const { json } = await client.call('DELETE', `/api/v1/api-keys/${id}?wait=applied`, { as: admin });
  expect(await ask()).toEqual(['401 INVALID_API_KEY']);
  expect(json).toMatchObject({ id, ...applied });
});

it('without wait the answers do not say when an act is applied', async () => {
  const { contentId, viewerId } = await makeScene(target);
  expect(await revokeLeases(target, { viewerId })).not.toHaveProperty('applied');
  const { json } = await client.call('DELETE', `/api/v1/content/${contentId}`, { as: admin });
  expect(json).not.toHaveProperty('applied');
});

it('a viewer who releases its lease cannot wait, and the lease stays active', async () => {
  const { token, leaseId, withLease } = await play();
  const released = await client.post('/keys/leases/revoke?wait=applied', token, { leaseId });
  expect([released.status, released.code]).toEqual([403, 'INSUFFICIENT_SCOPE']);
  expect(await withLease()).toEqual(['200']);
});

it('a wait for anything but applied gets 400, and nothing is revoked', async () => {
  const { viewerId, without } = await play();
  const { status, code } = await client.post('/keys/leases/revoke?wait=done', admin, { viewerId });
  expect([status, code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(await without()).toEqual(['200']);
});
