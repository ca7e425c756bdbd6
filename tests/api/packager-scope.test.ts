import { outcomeOf } from '@latchkey/support/black-box/answer';
import { createApiKey, oncePropagated } from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// docs/reference/contract.md#scopes
const target = await openTarget();
const { client, adminApiKey: admin } = target;
const [packager, another] = [await createApiKey(target, 'packager'), await createApiKey(target, 'packager')];

const far = 4_000_000;
const sequence = { mode: 'sequence', count: 10, periodSeconds: 60, burst: 8 };

async function register(as: string, contentId: string, members: Record<string, unknown> = {}) {
  const json = { id: contentId, name: contentId, ...members };
  const answer = await client.call('POST', '/api/v1/content', { as, json });
  return { ...answer, outcome: outcomeOf(answer) };
}
const outcomeOfKey = async (contentId: string, epoch: number) =>
  outcomeOf(await client.get(`/keys/${contentId}/${epoch}`, viewerToken(target.jwtSecret, unique('viewer'))));

it('a packager cannot lift the bound of a content that an admin registered, so its later keys stay closed', async () => {
  const contentId = unique('film');
  expect((await register(admin, contentId, { keyPeriods: sequence })).outcome).toBe('201');
  for (const keyPeriods of [null, { ...sequence, count: far + 1 }, { ...sequence, pace: false }])
    expect(await register(packager.raw, contentId, { keyPeriods })).toMatchObject({
      outcome: '403 INSUFFICIENT_SCOPE',
      json: { scope: 'admin full', detail: expect.stringContaining('only tighten its keyPeriods') },
    });
  expect((await client.get(`/api/v1/content/${contentId}`, admin)).json.content.keyPeriods).toMatchObject(
    sequence,
  );
  expect(await outcomeOfKey(contentId, far)).toBe('404 EPOCH_NOT_FOUND');
  expect((await register(packager.raw, contentId, { keyPeriods: sequence })).outcome).toBe('200');
  expect((await register(packager.raw, contentId)).json.content.keyPeriods).toMatchObject(sequence);

  expect((await register(packager.raw, contentId, { keyPeriods: { ...sequence, count: 5 } })).outcome).toBe(
    '200',
  );
  await oncePropagated(target, async () =>
    expect(await outcomeOfKey(contentId, 7)).toBe('404 EPOCH_NOT_FOUND'),
  );
});

it('a packager states periods for a content without any, and cannot take them away again', async () => {
  const contentId = unique('film');
  await register(admin, contentId);
  expect((await register(packager.raw, contentId, { keyPeriods: sequence })).outcome).toBe('200');
  expect((await register(packager.raw, contentId, { keyPeriods: null })).outcome).toBe(
    '403 INSUFFICIENT_SCOPE',
  );
});

it('a packager changes the periods of a content that this or another packager registered', async () => {
  const contentId = unique('film');
  const created = await register(packager.raw, contentId, { keyPeriods: sequence });
  expect(created.outcome).toBe('201');
  expect(JSON.stringify(created.json)).not.toMatch(/registrant/i);
  // A change by another API key does not change who registered the content.
  await register(admin, contentId, { keyPeriods: { ...sequence, count: 7 } });
  expect((await register(another.raw, contentId, { keyPeriods: { ...sequence, count: 20 } })).outcome).toBe(
    '200',
  );
  expect((await register(packager.raw, contentId, { keyPeriods: null })).json.content.keyPeriods).toBeNull();
});

it('a refused change by a packager is in the audit with its key', async () => {
  const contentId = unique('film');
  await register(admin, contentId, { keyPeriods: sequence });
  await register(packager.raw, contentId, { keyPeriods: null });
  const { json } = await client.get(`/api/v1/audit?actor=${packager.id}&outcome=refused`, admin);
  expect(json.audit[0]).toMatchObject({ action: 'content.create', code: 'INSUFFICIENT_SCOPE' });
});
