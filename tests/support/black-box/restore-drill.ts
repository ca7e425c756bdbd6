import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCli } from '../processes/run-cli.ts';
import {
  askForKey,
  type CreatedApiKey,
  createApiKey,
  createLease,
  makeScene,
  oncePropagated,
  registerContent,
  revokeApiKey,
  revokeLeases,
  type Scene,
} from './server-actions.ts';
import type { Target } from './target.ts';

/** A viewer with a key. */
interface Player extends Scene {
  leaseId?: string;
}

/** The changes that were acknowledged before the backup. */
export interface BeforeBackup {
  players: Record<
    'byViewer' | 'byPair' | 'byLease' | 'byContent' | 'released' | 'spared' | 'alreadyRevoked',
    Player
  >;
  apiKeys: Record<'revoked' | 'rotated' | 'kept', CreatedApiKey>;
  disabled: Player;
  activeAgain: Player;
}

/** The changes that were acknowledged after the backup. */
export interface AfterBackup {
  content: Player;
  lease: Player;
}

async function makePlayer(target: Target): Promise<Player> {
  const scene = await makeScene(target);
  return { ...scene, leaseId: await createLease(target, scene) };
}

const asks = (target: Target, player: Player) => askForKey(target, player, player.leaseId);

/** Acts that the backup holds, one of each kind that it has to bring back. */
export async function actBefore(target: Target): Promise<BeforeBackup> {
  const players = {
    byViewer: await makePlayer(target),
    byPair: await makePlayer(target),
    byLease: await makePlayer(target),
    byContent: await makePlayer(target),
    released: await makePlayer(target),
    spared: await makePlayer(target),
    alreadyRevoked: await makePlayer(target),
  };
  const apiKeys = {
    revoked: await createApiKey(target, 'playback'),
    rotated: await createApiKey(target, 'playback'),
    kept: await createApiKey(target, 'playback'),
  };
  const [disabled, activeAgain] = [await makeScene(target), await makeScene(target)];
  await revokeLeases(target, { viewerId: players.alreadyRevoked.viewerId });
  return { players, apiKeys, disabled, activeAgain };
}

const setStatus = async ({ client, adminApiKey }: Target, { contentId }: Player, status: string) => {
  const answer = await client.call('PATCH', `/api/v1/content/${contentId}`, {
    as: adminApiKey,
    json: { status },
  });
  if (answer.status !== 200) throw new Error(`the content is not ${status}`);
};

/** Acts that are lost with the disk: every kind of revocation, a content and leases that caches know. */
export async function actAfter(target: Target, before: BeforeBackup): Promise<AfterBackup> {
  const { players, apiKeys, disabled, activeAgain } = before;
  const { client, adminApiKey } = target;
  await revokeLeases(target, { viewerId: players.byViewer.viewerId });
  await revokeLeases(target, { viewerId: players.byPair.viewerId, contentId: players.byPair.contentId });
  await revokeLeases(target, { leaseId: players.byLease.leaseId ?? '' });
  await revokeLeases(target, { contentId: players.byContent.contentId });
  await client.post('/keys/leases/revoke', players.released.token, { leaseId: players.released.leaseId });
  await revokeApiKey(target, apiKeys.revoked.id);
  const rotated = await client.post(`/api/v1/api-keys/${apiKeys.rotated.id}/rotate`, adminApiKey, {});
  expect(rotated.status).toBe(201);
  const deleted = await client.call('DELETE', `/api/v1/content/${disabled.contentId}`, { as: adminApiKey });
  expect(deleted.status).toBe(200);
  await setStatus(target, activeAgain, 'disabled');
  await setStatus(target, activeAgain, 'active');
  const content = await makePlayer(target);
  const lease = { ...players.spared, leaseId: await createLease(target, players.spared) };
  await oncePropagated(target, async () => {
    for (const player of [content, lease]) expect(await asks(target, player)).toBe('200');
    await expectRefused(target, before);
  });
  return { content, lease };
}

/** Each revocation after the backup refuses its requests. */
async function expectRefused(target: Target, { players, apiKeys, disabled }: BeforeBackup): Promise<void> {
  const { byViewer, byPair, byLease, byContent } = players;
  const answers = await Promise.all([
    ...[byViewer, byPair, byLease, byContent].map((player) => asks(target, player)),
    ...[byViewer, byPair, byLease, byContent].map((player) => askForKey(target, player)),
    askForKey(target, disabled),
    ...[apiKeys.revoked, apiKeys.rotated].map(({ raw: token }) =>
      askForKey(target, { ...players.spared, token }),
    ),
  ]);
  expect(answers).toEqual([
    ...Array.from({ length: 4 }, () => '403 LEASE_REVOKED'),
    ...Array.from({ length: 4 }, () => '403 TOKEN_REVOKED'),
    '404 CONTENT_NOT_FOUND',
    ...Array.from({ length: 2 }, () => '401 INVALID_API_KEY'),
  ]);
}

/** Nothing from before is missing, and nothing from after is believed: neither by rows nor by a cache. */
export async function expectRestored(
  target: Target,
  before: BeforeBackup,
  after: AfterBackup,
): Promise<void> {
  const { players, apiKeys, disabled, activeAgain } = before;
  const { alreadyRevoked, ...others } = players;
  await oncePropagated(target, async () => {
    const back = await Promise.all([
      ...Object.values(others).map((player) => asks(target, player)),
      ...[disabled, activeAgain].map((player) => askForKey(target, player)),
      ...Object.values(apiKeys).map(({ raw: token }) => askForKey(target, { ...players.spared, token })),
    ]);
    // Also the leases that were revoked meanwhile: a restore undoes it.
    expect(back).toEqual(back.map(() => '200'));
    expect([await asks(target, alreadyRevoked), await askForKey(target, alreadyRevoked)]).toEqual([
      '403 LEASE_REVOKED',
      '403 TOKEN_REVOKED',
    ]);
    expect([await asks(target, after.content), await asks(target, after.lease)]).toEqual([
      '404 CONTENT_NOT_FOUND',
      '403 LEASE_UNKNOWN',
    ]);
  });
}

/** Lists the lost revocations from the log, makes them again, and checks that each holds. */
export async function redoRevocations(
  target: Target,
  before: BeforeBackup,
  { log, since, folder }: { log: string; since: string; folder: string },
): Promise<void> {
  const path = join(folder, 'requests.jsonl');
  writeFileSync(path, log);
  const args = ['revocations', '--since', since, '--redo', '--server', target.url, path];
  const listed = await runCli(args, { LATCHKEY_API_KEY: target.adminApiKey });
  const { players, apiKeys, disabled } = before;
  const { byViewer, byPair, byLease, byContent } = players;
  const requests = listed.split('\n').map((line) => {
    const { method, path, body } = JSON.parse(line) as Record<string, unknown>;
    return { method, path, ...(body ? { body } : {}) };
  });
  const revoke = (body: object) => ({ method: 'POST', path: '/keys/leases/revoke', body });
  expect(requests).toEqual(
    expect.arrayContaining([
      revoke({ viewerId: byViewer.viewerId }),
      revoke({ viewerId: byPair.viewerId, contentId: byPair.contentId }),
      revoke({ leaseId: byLease.leaseId }),
      revoke({ contentId: byContent.contentId }),
      { method: 'DELETE', path: `/api/v1/content/${disabled.contentId}` },
      { method: 'DELETE', path: `/api/v1/api-keys/${apiKeys.revoked.id}` },
      { method: 'DELETE', path: `/api/v1/api-keys/${apiKeys.rotated.id}` },
    ]),
  );
  await oncePropagated(target, async () => {
    await expectRefused(target, before);
    for (const player of [players.spared, players.released]) expect(await asks(target, player)).toBe('200');
    expect(await askForKey(target, before.activeAgain)).toBe('200');
  });
  // The installation goes on.
  await registerContent(target);
}
