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

/** Creates a lease as an admin, which is also possible after a revocation. */
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

  it(`after a revocation by ${name}, an older token gets no key without a lease, and no new lease`, async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, scene)).toBe('403 TOKEN_REVOKED');
    });
    expect(await askForLease(scene)).toBe('403 TOKEN_REVOKED');
  });

  it(`after a revocation by ${name}, a token of the same second gets no key`, async () => {
    const scene = await makeScene(target);
    const token = viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() });
    await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, { ...scene, token })).toBe('403 TOKEN_REVOKED');
    });
  });

  it(`after a revocation by ${name}, an older token from a clock ahead within the tolerance gets no key`, async () => {
    const scene = await makeScene(target);
    // Issued before the revocation, by a clock that is 9 s ahead.
    const token = viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() + clockToleranceSeconds - 1 });
    await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, { ...scene, token })).toBe('403 TOKEN_REVOKED');
    });
    expect(await askForLease({ ...scene, token })).toBe('403 TOKEN_REVOKED');
  });

  it(`after a revocation by ${name}, a newer token gets a key and a lease`, async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    const token = laterToken(jwtSecret, scene.viewerId);
    expect(await askForKey(target, { ...scene, token })).toBe('200');
    expect(await askForLease({ ...scene, token })).toBe('201');
  });

  it(`after a revocation by ${name}, a lease that an admin creates gets a key`, async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    expect(await askForKey(target, scene, await createLeaseFor(scene))).toBe('200');
  });

  it(`a revocation by ${name} does not affect other viewers or contents`, async () => {
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

  it(`a repeated revocation by ${name} moves the mark forward`, async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    const token = viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() });
    // The viewer can get no further lease to revoke, but an admin can create one.
    if (name === 'leaseId') await revokeLeases(target, { leaseId: await createLeaseFor(scene) });
    else await revoke(scene);
    await oncePropagated(target, async () => {
      expect(await askForKey(target, { ...scene, token })).toBe('403 TOKEN_REVOKED');
    });
  });
});

it('a viewer who releases a lease just before its revocation does not escape the mark', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  await client.post('/keys/leases/revoke', scene.token, { leaseId });
  expect(await askForKey(target, scene)).toBe('200');
  expect((await revokeLeases(target, { leaseId })).revoked).toBe(0);
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene)).toBe('403 TOKEN_REVOKED');
  });
});

it('a repeated revocation by leaseId does not affect a token that was issued after the first', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  await revokeLeases(target, { leaseId });
  const token = laterToken(jwtSecret, scene.viewerId);
  await revokeLeases(target, { leaseId });
  expect(await askForKey(target, { ...scene, token })).toBe('200');
});

it('a viewer and a content with the same name have separate marks', async () => {
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
