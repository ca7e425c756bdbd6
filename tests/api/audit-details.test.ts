import {
  createApiKey,
  createLease,
  makeScene,
  registerContent,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { expect, it } from 'vitest';

const target = await openTarget();
const { client, adminApiKey: admin } = target;

async function detailsOf(action: string, subject: string): Promise<unknown[]> {
  const query = new URLSearchParams({ action, target: subject });
  const { json } = await client.get(`/api/v1/audit?${query}`, admin);
  return json.audit.map(({ details }: { details: unknown }) => details);
}

it('the audit has the reason of each revocation, and hides a key in it', async () => {
  const scene = await makeScene(target);
  const leaseId = await createLease(target, scene);
  const { raw } = await createApiKey(target, 'playback');
  const { viewerId } = scene;
  await client.post('/keys/leases/revoke', admin, { leaseId, reason: 'shared account' });
  await client.post('/keys/leases/revoke', admin, { viewerId, reason: `used ${raw}` });
  await client.post('/keys/leases/revoke', admin, { viewerId });
  expect(await detailsOf('lease.revoke', leaseId)).toEqual([{ reason: 'shared account' }]);
  expect(await detailsOf('lease.revoke', `viewer:${viewerId}`)).toEqual([null, { reason: 'used lk_***' }]);
});

it('the audit has before and after of each edit of a content, and nothing of what stayed', async () => {
  const id = await registerContent(target);
  const change = (json: object) => client.call('PATCH', `/api/v1/content/${id}`, { as: admin, json });
  await change({ name: 'Second name', metadata: { season: 2 } });
  await change({ name: 'Second name' });
  await change({ metadata: { text: 'x'.repeat(5_000) } });
  await client.post('/api/v1/content', admin, { id, name: 'Registered again' });
  await client.call('DELETE', `/api/v1/content/${id}`, { as: admin });
  const [again, long, same, edit] = await detailsOf('content.update', id);
  expect(edit).toEqual({
    changes: {
      name: { before: id, after: 'Second name' },
      metadata: { before: {}, after: { season: 2 } },
    },
  });
  expect(same).toBeNull();
  expect(again).toEqual({ changes: { name: { before: 'Second name', after: 'Registered again' } } });
  const { changes } = long as { changes: { metadata: { after: string } } };
  expect(changes.metadata.after.length).toBe(1_001);
  expect(await detailsOf('content.disable', id)).toEqual([
    { changes: { status: { before: 'active', after: 'disabled' } } },
  ]);
  expect(await detailsOf('content.create', id)).toEqual([
    { changes: expect.objectContaining({ name: { before: null, after: id } }) },
  ]);
});

it('the audit has name, scope and end of a new API key, and the ends of one that is rotated', async () => {
  const name = unique('audited');
  const { id } = await createApiKey(target, 'playback', { name });
  expect(await detailsOf('api-key.create', id)).toEqual([
    {
      changes: {
        name: { before: null, after: name },
        scope: { before: null, after: 'playback' },
      },
    },
  ]);
  await client.call('PATCH', `/api/v1/api-keys/${id}`, {
    as: admin,
    json: { name, metadata: { team: 'a' } },
  });
  expect(await detailsOf('api-key.update', id)).toEqual([
    { changes: { metadata: { before: {}, after: { team: 'a' } } } },
  ]);
  await client.post(`/api/v1/api-keys/${id}/rotate`, admin, { overlapSeconds: 60 });
  const [rotated] = await detailsOf('api-key.rotate', id);
  expect(rotated).toMatchObject({
    changes: { expiresAt: { before: null, after: expect.stringMatching(/^20\d\d-/) } },
  });
});
