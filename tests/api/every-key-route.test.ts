import { randomUUID } from 'node:crypto';
import { outcomeOf } from '@latchkey/support/black-box/answer';
import {
  createApiKey,
  createLease,
  makeScene,
  oncePropagated,
  registerContent,
  revokeApiKey,
  revokeLeases,
} from '@latchkey/support/black-box/server-actions';
import { openTarget } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';

// The decisions of docs/reference/contract.md#order-of-decisions hold for keys that a packager names, and for licences, too.
const target = await openTarget();
const { client, adminApiKey: admin, jwtSecret } = target;

const kid = randomUUID();

interface Asking {
  as?: string;
  leaseId?: string;
}

/** Asks each route that serves keys. @returns the outcome, such as `403 LEASE_REVOKED`, or the outcomes if they differ */
async function outcomesOf(contentId: string, { as, leaseId }: Asking): Promise<string> {
  const headers: Record<string, string> = leaseId ? { 'x-lease-id': leaseId } : {};
  const json = { kids: [keyIdOf(contentId)] };
  const licence = await client.call('POST', `/licenses/clearkey/${contentId}`, { as, headers, json });
  for (const { k } of licence.json?.keys ?? []) client.credentials.add(k);
  const answers = [
    await client.get(`/keys/${contentId}`, as, headers),
    await client.get(`/keys/${contentId}/kid/${kid}`, as, headers),
    licence,
  ];
  return [...new Set(answers.map(outcomeOf))].join();
}

it('without a credential, with a token for another content and with a small scope, every route refuses alike', async () => {
  const { contentId, viewerId } = await makeScene(target);
  const upload = await createApiKey(target, 'upload');
  const elsewhere = viewerToken(jwtSecret, viewerId, { content_ids: ['something-else'] });
  expect(await outcomesOf(contentId, {})).toBe('401 UNAUTHENTICATED');
  expect(await outcomesOf(contentId, { as: elsewhere })).toBe('403 CONTENT_NOT_ENTITLED');
  expect(await outcomesOf(contentId, { as: upload.raw })).toBe('403 INSUFFICIENT_SCOPE');
  expect(await outcomesOf(contentId, { as: `${elsewhere}x` })).toBe('401 INVALID_TOKEN');
});

it('no route serves a key of an unknown content, or of a disabled one until it is enabled', async () => {
  const { contentId, token: as } = await makeScene(target);
  expect(await outcomesOf(unique('none'), { as })).toBe('404 CONTENT_NOT_FOUND');
  expect(await outcomesOf(contentId, { as })).toBe('200');
  const path = `/api/v1/content/${contentId}`;
  await client.call('DELETE', path, { as: admin });
  await oncePropagated(target, async () =>
    expect(await outcomesOf(contentId, { as })).toBe('404 CONTENT_NOT_FOUND'),
  );
  await client.call('PATCH', path, { as: admin, json: { status: 'active' } });
  await oncePropagated(target, async () => expect(await outcomesOf(contentId, { as })).toBe('200'));
});

it('no route serves a key for a revoked lease or the lease of another viewer', async () => {
  const [scene, other] = [await makeScene(target), await makeScene(target)];
  const asking = { as: scene.token, leaseId: await createLease(target, scene) };
  expect(await outcomesOf(scene.contentId, asking)).toBe('200');
  const foreign = { as: scene.token, leaseId: await createLease(target, other) };
  expect(await outcomesOf(scene.contentId, foreign)).toBe('403 LEASE_UNKNOWN');
  await revokeLeases(target, { leaseId: asking.leaseId });
  await oncePropagated(target, async () =>
    expect(await outcomesOf(scene.contentId, asking)).toBe('403 LEASE_REVOKED'),
  );
});

it.each(['viewerId', 'contentId'] as const)(
  'after a revocation by %s, no route serves a key for an older token',
  async (selector) => {
    const scene = await makeScene(target);
    expect(await outcomesOf(scene.contentId, { as: scene.token })).toBe('200');
    await revokeLeases(target, { [selector]: scene[selector] });
    await oncePropagated(target, async () =>
      expect(await outcomesOf(scene.contentId, { as: scene.token })).toBe('403 TOKEN_REVOKED'),
    );
  },
);

it('no route serves a key for a revoked API key', async () => {
  const contentId = await registerContent(target);
  const { id, raw } = await createApiKey(target, 'packager');
  expect(await outcomesOf(contentId, { as: raw })).toBe('200');
  await revokeApiKey(target, id);
  await oncePropagated(target, async () =>
    expect(await outcomesOf(contentId, { as: raw })).toBe('401 INVALID_API_KEY'),
  );
});
