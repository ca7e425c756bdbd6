import { describe, expect, it } from 'vitest';
import {
  askForKey,
  createLease,
  makeScene,
  oncePropagated,
  registerContent,
  revokeLeases,
  type Scene,
} from './server-actions.ts';
import { openTarget } from './target.ts';
import { clockToleranceSeconds, laterToken, nowSeconds, unique, viewerToken } from './tokens.ts';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

async function askForLease({ token, contentId }: Pick<Scene, 'token' | 'contentId'>): Promise<string> {
  const { status, code } = await client.post('/keys/leases', token, { contentId });
  return code ? `${status} ${code}` : `${status}`;
}

/** As the management creates it: whatever is revoked. */
async function createLeaseFor({ viewerId, contentId }: Scene): Promise<string> {
  const { status, json } = await client.post('/keys/leases', admin, { viewerId, contentId });
  expect(status).toBe(201);
  return json.lease.id;
}

const selectors = {
  leaseId: async (scene: Scene) => ({ leaseId: await createLease(target, scene) }),
  viewerId: async ({ viewerId }: Scene) => ({ viewerId }),
  contentId: async ({ contentId }: Scene) => ({ contentId }),
  'viewerId and contentId': async ({ viewerId, contentId }: Scene) => ({ viewerId, contentId }),
};
const names = Object.keys(selectors) as (keyof typeof selectors)[];

describe.each(names)('a revocation by %s', (name) => {
  const revoke = async (scene: Scene) => revokeLeases(target, await selectors[name](scene));

  it('holds against a token issued before: no key without a lease, and no new lease', async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, scene)).toBe('403 TOKEN_REVOKED');
    });
    expect(await askForLease(scene)).toBe('403 TOKEN_REVOKED');
  });

  it('holds against a token issued in the same second', async () => {
    const scene = await makeScene(target);
    const token = viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() });
    await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, { ...scene, token })).toBe('403 TOKEN_REVOKED');
    });
  });

  it('holds against a token of an application whose clock is ahead by less than the tolerance', async () => {
    const scene = await makeScene(target);
    // By a clock that is 9 s ahead, though it was issued before the revocation.
    const token = viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() + clockToleranceSeconds - 1 });
    await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, { ...scene, token })).toBe('403 TOKEN_REVOKED');
    });
    expect(await askForLease({ ...scene, token })).toBe('403 TOKEN_REVOKED');
  });

  it('does not hold against a token issued after: the application has decided anew', async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    const token = laterToken(jwtSecret, scene.viewerId);
    expect(await askForKey(target, { ...scene, token })).toBe('200');
    expect(await askForLease({ ...scene, token })).toBe('201');
  });

  it('does not hold against a lease that the management creates afterwards', async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    expect(await askForKey(target, scene, await createLeaseFor(scene))).toBe('200');
  });

  it('reaches as far as it names', async () => {
    const scene = await makeScene(target);
    const contentId = await registerContent(target);
    const otherViewer = viewerToken(jwtSecret, unique('viewer'));
    await revoke(scene);
    const marked = '403 TOKEN_REVOKED';
    await oncePropagated(target, async () => {
      const elsewhere = await askForKey(target, { ...scene, contentId });
      expect(elsewhere).toBe(name === 'viewerId' ? marked : '200');
      const others = await askForKey(target, { ...scene, token: otherViewer });
      expect(others).toBe(name === 'contentId' ? marked : '200');
    });
  });

  it('moves the mark forward when it comes again', async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    const token = viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() });
    // The viewer gets no lease any more that could be revoked; the management still creates one.
    if (name === 'leaseId') await revokeLeases(target, { leaseId: await createLeaseFor(scene) });
    else await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, { ...scene, token })).toBe('403 TOKEN_REVOKED');
    });
  });
});

it('a viewer that released its lease just before the management revokes it does not escape the mark', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  await client.post('/keys/leases/revoke', scene.token, { leaseId });
  expect(await askForKey(target, scene)).toBe('200');
  expect((await revokeLeases(target, { leaseId })).revoked).toBe(0);
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene)).toBe('403 TOKEN_REVOKED');
  });
});

it('a repeated revocation by leaseId leaves a token alone that was issued since', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  await revokeLeases(target, { leaseId });
  const token = laterToken(jwtSecret, scene.viewerId);
  await revokeLeases(target, { leaseId });
  expect(await askForKey(target, { ...scene, token })).toBe('200');
});

it('a viewer and a content that share a name have marks of their own', async () => {
  const name = unique('both');
  await registerContent(target, name);
  const scene = { contentId: name, viewerId: name, token: viewerToken(jwtSecret, name) };
  const other = { ...scene, token: viewerToken(jwtSecret, unique('viewer')) };
  await revokeLeases(target, { viewerId: name });
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene)).toBe('403 TOKEN_REVOKED');
  });
  expect(await askForKey(target, other)).toBe('200');
});
