import {
  askForKey,
  createApiKey,
  createLease,
  expectKey,
  makeScene,
  registerContent,
  revokeApiKey,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { openShared, openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// Requests with two faults at once: the answer is for the one that comes first in docs/reference/contract.md#order-of-decisions.
const optional = await openTarget();
const required = await openShared('leases-required');
const { client, adminApiKey: admin, jwtSecret } = optional;
const expired = { exp: Math.floor(Date.now() / 1_000) - 60 };

const boundElsewhere = ({ viewerId }: Pick<Scene, 'viewerId'>, claims = {}) =>
  viewerToken(jwtSecret, viewerId, { content_ids: ['something-else'], ...claims });

const disable = (id: string) => client.call('DELETE', `/api/v1/content/${id}`, { as: admin });

async function revokedLease(scene: Scene): Promise<string> {
  const leaseId = await createLease(optional, scene);
  await revokeLeases(optional, { leaseId });
  return leaseId;
}

interface Asked {
  token?: string;
  contentId?: string;
  leaseId?: string;
}

/** Each request has two faults or more. @param scene of a viewer who may play */
const faulty: [what: string, expected: string, prepare: (scene: Scene) => Asked | Promise<Asked>][] = [
  [
    'an expired token for another content',
    '401 INVALID_TOKEN',
    (scene) => ({ token: boundElsewhere(scene, expired) }),
  ],
  [
    'an expired token for an unknown content',
    '401 INVALID_TOKEN',
    ({ viewerId }) => ({ token: viewerToken(jwtSecret, viewerId, expired), contentId: unique('none') }),
  ],
  [
    'a revoked API key for an unknown content',
    '401 INVALID_API_KEY',
    async () => {
      const { id, raw } = await createApiKey(optional, 'playback');
      await revokeApiKey(optional, id);
      return { token: raw, contentId: unique('none') };
    },
  ],
  [
    'an expired token and a revoked lease',
    '401 INVALID_TOKEN',
    async (scene) => ({
      token: viewerToken(jwtSecret, scene.viewerId, expired),
      leaseId: await revokedLease(scene),
    }),
  ],
  [
    'an API key without the scope for keys for an unknown content',
    '403 INSUFFICIENT_SCOPE',
    async () => ({ token: (await createApiKey(optional, 'upload')).raw, contentId: unique('none') }),
  ],
  [
    'an API key with the scope for keys for an unknown content',
    '404 CONTENT_NOT_FOUND',
    async () => ({ token: (await createApiKey(optional, 'playback')).raw, contentId: unique('none') }),
  ],
  [
    'an API key with the scope for keys despite a revoked lease and a mark',
    '200',
    async (scene) => {
      const leaseId = await revokedLease(scene);
      await revokeLeases(optional, { contentId: scene.contentId });
      return { token: (await createApiKey(optional, 'playback')).raw, leaseId };
    },
  ],
  [
    'a token for another content than an unknown one',
    '403 CONTENT_NOT_ENTITLED',
    (scene) => ({ token: boundElsewhere(scene), contentId: unique('none') }),
  ],
  [
    'a token for another content and a revoked lease',
    '403 CONTENT_NOT_ENTITLED',
    async (scene) => ({ token: boundElsewhere(scene), leaseId: await revokedLease(scene) }),
  ],
  [
    'a token for another content after a revocation of the viewer',
    '403 CONTENT_NOT_ENTITLED',
    async (scene) => {
      await revokeLeases(optional, { viewerId: scene.viewerId });
      return { token: boundElsewhere(scene) };
    },
  ],
  [
    'a revoked lease of a disabled content',
    '404 CONTENT_NOT_FOUND',
    async (scene) => {
      const leaseId = await revokedLease(scene);
      await disable(scene.contentId);
      return { leaseId };
    },
  ],
  [
    'a malformed lease for a disabled content',
    '404 CONTENT_NOT_FOUND',
    async ({ contentId }) => {
      await disable(contentId);
      return { leaseId: 'nonsense' };
    },
  ],
  [
    'a revoked viewer for a disabled content',
    '404 CONTENT_NOT_FOUND',
    async ({ viewerId, contentId }) => {
      await revokeLeases(optional, { viewerId });
      await disable(contentId);
      return {};
    },
  ],
  ['an unknown lease', '403 LEASE_UNKNOWN', () => ({ leaseId: crypto.randomUUID() })],
  ['a malformed lease', '403 LEASE_UNKNOWN', () => ({ leaseId: "'; DROP TABLE leases;--" })],
  [
    'the lease of another viewer',
    '403 LEASE_UNKNOWN',
    async (scene) => {
      const token = viewerToken(jwtSecret, unique('viewer'));
      return { leaseId: await createLease(optional, { ...scene, token }) };
    },
  ],
  [
    'a lease for another content',
    '403 LEASE_UNKNOWN',
    async (scene) => ({
      leaseId: await createLease(optional, scene),
      contentId: await registerContent(optional),
    }),
  ],
];

it.each(faulty)('a key request with %s gets %s', async (_what, expected, prepare) => {
  const scene = await makeScene(optional);
  const { leaseId, ...asked } = await prepare(scene);
  await expectKey(optional, expected, { ...scene, ...asked }, leaseId);
});

it('a key request with a bad credential and a malformed path gets 401', async () => {
  expect((await client.get('/keys/no.content')).code).toBe('UNAUTHENTICATED');
  expect((await client.get('/keys/x/01', viewerToken(jwtSecret, 'v', expired))).code).toBe('INVALID_TOKEN');
});

it('where leases are required, an API key needs none, and an unknown content gets 404 without one', async () => {
  const scene = await makeScene(required);
  expect(await askForKey(required, { ...scene, token: required.adminApiKey })).toBe('200');
  await expectKey(required, '404 CONTENT_NOT_FOUND', { ...scene, contentId: unique('none') });
});

it('a revoked viewer without a required lease gets TOKEN_REVOKED, not LEASE_REQUIRED', async () => {
  const scene = await makeScene(required);
  expect(await askForKey(required, scene)).toBe('403 LEASE_REQUIRED');
  await revokeLeases(required, { viewerId: scene.viewerId });
  await expectKey(required, '403 TOKEN_REVOKED', scene);
});

it('an active lease that is named gets a key despite the marks', async () => {
  const scene = await makeScene(optional);
  const phone = await createLease(optional, scene, { deviceId: 'phone' });
  const tv = await createLease(optional, scene, { deviceId: 'tv' });
  await revokeLeases(optional, { leaseId: phone });
  await expectKey(optional, '403 LEASE_REVOKED', scene, phone);
  expect(await askForKey(optional, scene, tv)).toBe('200');
  await expectKey(optional, '403 TOKEN_REVOKED', scene);
});
