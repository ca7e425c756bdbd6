import { outcomeOf } from '@latchkey/support/black-box/answer';
import {
  askForKey,
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
import { clockToleranceSeconds, laterToken, nowSeconds, viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

async function askForLease({ token, contentId }: Pick<Scene, 'token' | 'contentId'>): Promise<string> {
  return outcomeOf(await client.post('/keys/leases', token, { contentId }));
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

  it(`after a revocation by ${name}, no token from before it gets a key or a lease, also of the same second or by a clock ahead`, async () => {
    const scene = await makeScene(target);
    // Of a minute before, of this second, and by a clock that is ahead by 9 s, which the tolerance allows.
    const issued = [-60, 0, clockToleranceSeconds - 1].map((seconds) => ({
      ...scene,
      token: viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() + seconds }),
    }));
    await revoke(scene);
    for (const older of issued) {
      await expectKey(target, '403 TOKEN_REVOKED', older);
      expect(await askForLease(older)).toBe('403 TOKEN_REVOKED');
    }
  });

  it(`after a revocation by ${name}, a newer token gets a key and a lease, and so does a lease that an admin creates`, async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    expect(await askForKey(target, scene, await createLeaseFor(scene))).toBe('200');
    const token = laterToken(jwtSecret, scene.viewerId);
    expect(await askForKey(target, { ...scene, token })).toBe('200');
    expect(await askForLease({ ...scene, token })).toBe('201');
  });

  it(`a revocation by ${name} does not affect other viewers or contents`, async () => {
    const scene = await makeScene(target);
    const contentId = await registerContent(target);
    const otherViewer = viewerToken(jwtSecret, unique('viewer'));
    await revoke(scene);
    const marked = '403 TOKEN_REVOKED';
    const others = [
      { ...scene, contentId, isMarked: name === 'viewerId' },
      { ...scene, token: otherViewer, isMarked: name === 'contentId' },
    ];
    for (const { isMarked, ...other } of others) {
      await expectKey(target, isMarked ? marked : '200', other);
      expect(await askForLease(other)).toBe(isMarked ? marked : '201');
    }
  });

  it(`a repeated revocation by ${name} moves the mark forward`, async () => {
    const scene = await makeScene(target);
    await revoke(scene);
    const token = viewerToken(jwtSecret, scene.viewerId, { iat: nowSeconds() });
    // The viewer can get no further lease to revoke, but an admin can create one.
    if (name === 'leaseId') await revokeLeases(target, { leaseId: await createLeaseFor(scene) });
    else await revoke(scene);
    await expectKey(target, '403 TOKEN_REVOKED', { ...scene, token });
  });
});

it('a viewer who releases a lease just before its revocation does not escape the mark', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  await client.post('/keys/leases/revoke', scene.token, { leaseId });
  expect(await askForKey(target, scene)).toBe('200');
  expect((await revokeLeases(target, { leaseId })).revoked).toBe(0);
  await expectKey(target, '403 TOKEN_REVOKED', scene);
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
  await expectKey(target, '403 TOKEN_REVOKED', scene);
  expect(await askForKey(target, other)).toBe('200');
});

const listMarks = async (query: string) => {
  const { status, json } = await client.get(`/api/v1/marks?${query}`, admin);
  expect(status).toBe(200);
  return json.marks;
};

it('marks are listed by viewer and by content with the time at which they lapse', async () => {
  const scene = await makeScene(target);
  const { viewerId, contentId } = scene;
  await revokeLeases(target, { viewerId });
  await revokeLeases(target, { contentId });
  await revokeLeases(target, { viewerId, contentId });
  const ofViewer = await listMarks(`viewerId=${viewerId}`);
  expect(ofViewer).toMatchObject([
    { viewerId, contentId },
    { viewerId, contentId: null },
  ]);
  expect(await listMarks(`contentId=${contentId}`)).toHaveLength(2);
  const [{ markedAt, lapsesAt }] = ofViewer;
  // The oldest token that is accepted, and the tolerance for clocks twice.
  const keptMs = 86_400_000 + 2 * clockToleranceSeconds * 1_000;
  expect(Date.parse(lapsesAt) - Date.parse(markedAt)).toBe(keptMs);
});

it('once a mark is lifted, the old token gets keys and leases again, and revoked leases stay revoked', async () => {
  const scene = await makeScene(target);
  const { viewerId, contentId } = scene;
  const leaseId = await createLease(target, scene);
  await revokeLeases(target, { viewerId });
  await expectKey(target, '403 TOKEN_REVOKED', scene);
  const [mark] = await listMarks(`viewerId=${viewerId}`);
  const lift = () => client.call('DELETE', `/api/v1/marks/${mark.id}`, { as: admin });
  expect((await lift()).status).toBe(204);
  await oncePropagated(target, async () => {
    expect(await askForKey(target, scene)).toBe('200');
    expect(await askForKey(target, scene, leaseId)).toBe('403 LEASE_REVOKED');
  });
  expect(await askForLease(scene)).toBe('201');
  expect(await listMarks(`viewerId=${viewerId}`)).toEqual([]);
  expect((await lift()).code).toBe('NOT_FOUND');
  const { json } = await client.get(`/api/v1/audit?target=viewer:${viewerId}`, admin);
  expect(json.audit.map(({ action, outcome }: Record<string, string>) => `${action} ${outcome}`)).toEqual([
    'mark.lift done',
    'lease.revoke done',
  ]);
  // A later revocation holds as ever.
  await revokeLeases(target, { viewerId, contentId });
  await expectKey(target, '403 TOKEN_REVOKED', scene);
});

it('a mark that a later revocation moved forward is not lifted by its earlier id, and viewers may lift none', async () => {
  const scene = await makeScene(target);
  await revokeLeases(target, { viewerId: scene.viewerId });
  const [first] = await listMarks(`viewerId=${scene.viewerId}`);
  await revokeLeases(target, { viewerId: scene.viewerId });
  const path = `/api/v1/marks/${first.id}`;
  expect((await client.call('DELETE', path, { as: admin })).code).toBe('NOT_FOUND');
  expect([401, 403]).toContain((await client.call('DELETE', path, { as: scene.token })).status);
  expect((await client.call('DELETE', '/api/v1/marks/none', { as: admin })).code).toBe('NOT_FOUND');
  await expectKey(target, '403 TOKEN_REVOKED', scene);
});
