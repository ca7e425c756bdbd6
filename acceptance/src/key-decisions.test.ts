import { expect, it } from 'vitest';
import {
  askForKey,
  createApiKey,
  createLease,
  makeScene,
  oncePropagated,
  registerContent,
  revokeApiKey,
  revokeLeases,
  type Scene,
} from './server-actions.ts';
import { openShared, openTarget } from './target.ts';
import { unique, viewerToken } from './tokens.ts';

// Requests with two faults at once: the answer is for the one that comes first in docs/contract.md#order-of-decisions.
const optional = await openTarget();
const required = await openShared('leases-required');
const { client, adminApiKey: admin, jwtSecret } = optional;
const expired = { exp: Math.floor(Date.now() / 1_000) - 60 };

const boundElsewhere = ({ viewerId }: Pick<Scene, 'viewerId'>, claims = {}) =>
  viewerToken(jwtSecret, viewerId, { content_ids: ['something-else'], ...claims });

async function revokedLease(scene: Scene): Promise<string> {
  const leaseId = await createLease(optional, scene);
  await revokeLeases(optional, { leaseId });
  return leaseId;
}

it('a key request with an expired token for another content gets 401 INVALID_TOKEN', async () => {
  const scene = await makeScene(optional);
  expect(await askForKey(optional, { ...scene, token: boundElsewhere(scene, expired) })).toBe(
    '401 INVALID_TOKEN',
  );
});

it('a key request with a bad credential for an unknown content gets 401', async () => {
  const token = viewerToken(jwtSecret, unique('viewer'), expired);
  expect(await askForKey(optional, { token, contentId: unique('none') })).toBe('401 INVALID_TOKEN');
  const { id, raw } = await createApiKey(optional, 'playback');
  await revokeApiKey(optional, id);
  expect(await askForKey(optional, { token: raw, contentId: unique('none') })).toBe('401 INVALID_API_KEY');
});

it('a key request with an expired token and a revoked lease gets 401 INVALID_TOKEN', async () => {
  const scene = await makeScene(optional);
  const leaseId = await revokedLease(scene);
  const token = viewerToken(jwtSecret, scene.viewerId, expired);
  expect(await askForKey(optional, { ...scene, token }, leaseId)).toBe('401 INVALID_TOKEN');
});

it('a key request with a bad credential and a malformed path gets 401', async () => {
  expect((await client.get('/keys/no.content')).code).toBe('UNAUTHENTICATED');
  expect((await client.get('/keys/x/01', viewerToken(jwtSecret, 'v', expired))).code).toBe('INVALID_TOKEN');
});

it('an API key without the scope for keys gets 403 even for an unknown content', async () => {
  const { raw } = await createApiKey(optional, 'upload');
  expect(await askForKey(optional, { token: raw, contentId: unique('none') })).toBe('403 INSUFFICIENT_SCOPE');
});

it('an API key with the scope for keys gets 404 for an unknown content', async () => {
  const { raw } = await createApiKey(optional, 'playback');
  await oncePropagated(optional, async () =>
    expect(await askForKey(optional, { token: raw, contentId: unique('none') })).toBe(
      '404 CONTENT_NOT_FOUND',
    ),
  );
});

it('an API key with the scope for keys gets a key despite revoked leases, marks and lease mode', async () => {
  const scene = await makeScene(optional);
  const leaseId = await revokedLease(scene);
  await revokeLeases(optional, { contentId: scene.contentId });
  const { raw } = await createApiKey(optional, 'playback');
  expect(await askForKey(optional, { ...scene, token: raw }, leaseId)).toBe('200');
  const demanding = await makeScene(required);
  expect(await askForKey(required, { ...demanding, token: required.adminApiKey })).toBe('200');
});

it('a token for another content gets 403 CONTENT_NOT_ENTITLED even for an unknown content', async () => {
  const token = boundElsewhere({ viewerId: unique('viewer') });
  expect(await askForKey(optional, { token, contentId: unique('none') })).toBe('403 CONTENT_NOT_ENTITLED');
});

it('a token for another content gets 403 CONTENT_NOT_ENTITLED even with a revoked lease', async () => {
  const scene = await makeScene(optional);
  const leaseId = await revokedLease(scene);
  expect(await askForKey(optional, { ...scene, token: boundElsewhere(scene) }, leaseId)).toBe(
    '403 CONTENT_NOT_ENTITLED',
  );
});

it('a token for another content gets 403 CONTENT_NOT_ENTITLED even after a revocation', async () => {
  const scene = await makeScene(optional);
  await revokeLeases(optional, { viewerId: scene.viewerId });
  expect(await askForKey(optional, { ...scene, token: boundElsewhere(scene) })).toBe(
    '403 CONTENT_NOT_ENTITLED',
  );
});

const disable = (id: string) => client.call('DELETE', `/api/v1/content/${id}`, { as: admin });

it('a disabled content gets 404 even with a revoked or malformed lease', async () => {
  const scene = await makeScene(optional);
  const leaseId = await revokedLease(scene);
  await disable(scene.contentId);
  await oncePropagated(optional, async () =>
    expect(await askForKey(optional, scene, leaseId)).toBe('404 CONTENT_NOT_FOUND'),
  );
  await oncePropagated(optional, async () =>
    expect(await askForKey(optional, scene, 'nonsense')).toBe('404 CONTENT_NOT_FOUND'),
  );
});

it('a disabled content gets 404 even for a revoked viewer', async () => {
  const scene = await makeScene(optional);
  await revokeLeases(optional, { viewerId: scene.viewerId });
  await disable(scene.contentId);
  await oncePropagated(optional, async () =>
    expect(await askForKey(optional, scene)).toBe('404 CONTENT_NOT_FOUND'),
  );
});

it('an unknown content gets 404 even without the lease that the mode requires', async () => {
  const { token } = await makeScene(required);
  await oncePropagated(required, async () =>
    expect(await askForKey(required, { token, contentId: unique('none') })).toBe('404 CONTENT_NOT_FOUND'),
  );
});

it('a revoked viewer without a required lease gets TOKEN_REVOKED, not LEASE_REQUIRED', async () => {
  const scene = await makeScene(required);
  expect(await askForKey(required, scene)).toBe('403 LEASE_REQUIRED');
  await revokeLeases(required, { viewerId: scene.viewerId });
  await oncePropagated(required, async () =>
    expect(await askForKey(required, scene)).toBe('403 TOKEN_REVOKED'),
  );
});

it('an active lease that is named gets a key despite the marks', async () => {
  const scene = await makeScene(optional);
  const phone = await createLease(optional, scene, { deviceId: 'phone' });
  const tv = await createLease(optional, scene, { deviceId: 'tv' });
  await revokeLeases(optional, { leaseId: phone });
  await oncePropagated(optional, async () =>
    expect(await askForKey(optional, scene, phone)).toBe('403 LEASE_REVOKED'),
  );
  expect(await askForKey(optional, scene, tv)).toBe('200');
  await oncePropagated(optional, async () =>
    expect(await askForKey(optional, scene)).toBe('403 TOKEN_REVOKED'),
  );
});

it.each(['nonsense', '1', crypto.randomUUID(), "'; DROP TABLE leases;--"])(
  'a key request with the unknown lease %s gets 403 LEASE_UNKNOWN',
  async (leaseId) => {
    expect(await askForKey(optional, await makeScene(optional), leaseId)).toBe('403 LEASE_UNKNOWN');
  },
);

it('a key request with the lease of another viewer gets 403 LEASE_UNKNOWN', async () => {
  const scene = await makeScene(optional);
  const other = { ...scene, token: viewerToken(jwtSecret, unique('viewer')) };
  expect(await askForKey(optional, scene, await createLease(optional, other))).toBe('403 LEASE_UNKNOWN');
});

it('a key request with a lease for another content gets 403 LEASE_UNKNOWN', async () => {
  const scene = await makeScene(optional);
  const leaseId = await createLease(optional, scene);
  const contentId = await registerContent(optional);
  expect(await askForKey(optional, { ...scene, contentId }, leaseId)).toBe('403 LEASE_UNKNOWN');
});
