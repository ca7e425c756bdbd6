import type { Answer } from '@latchkey/support/black-box/answer';
import {
  makeScene,
  readAudit,
  registerContent,
  revokeLeases,
  type Scene,
} from '@latchkey/support/black-box/server-actions';
import { playlistOrigin, sharedSettings } from '@latchkey/support/black-box/shared-settings';
import { openShared, startServer, type Target } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { setPlaylist } from '@latchkey/support/playback/open-session';
import { laterToken, viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// Nothing is limited by these settings: the first is the default, and the figures of the second are far above any client.
const [off, raised] = await Promise.all([
  openShared('every-route'),
  // Its own: no other test needs these figures.
  startServer({
    ...sharedSettings['every-route'],
    RATE_LIMIT: 'on',
    RATE_LIMIT_LEASES_PER_MINUTE: '1000000',
    RATE_LIMIT_PRESIGN_PER_MINUTE: '1000000',
    RATE_LIMIT_API_PER_MINUTE: '1000000',
  }),
]);
const servers = [
  ['RATE_LIMIT=off', off],
  ['figures of RATE_LIMIT=on far above it', raised],
] as const;
/** `docs/reference/contract.md#rate-limits`. */
const ceiling = 1_200;

async function makePlayable(server: Target): Promise<Scene> {
  const scene = await makeScene(server);
  await setPlaylist(server, scene.contentId, `${playlistOrigin}/film.m3u8`);
  return { ...scene, token: viewerToken(server.jwtSecret, scene.viewerId, { scope: 'upload' }) };
}

/** Calls as a crowd does, in parts, so that no part waits for a slow answer. @returns the answers in their order */
async function postMany(
  { client }: Target,
  count: number,
  as: string,
  request: (n: number) => [path: string, json: object],
): Promise<Answer[]> {
  const call = (n: number) => {
    const [path, json] = request(n);
    return client.call('POST', path, { as, json, isOneOfMany: true });
  };
  const answers: Answer[] = [];
  for (let from = 0; from < count; from += 20)
    answers.push(...(await Promise.all(Array.from({ length: 20 }, (_, n) => call(from + n)))));
  return answers;
}

it.each(servers)(
  'with %s, one token makes 1,200 leases and sessions a minute and no audit row',
  async (_, server) => {
    const { client } = server;
    const { token, contentId, viewerId } = await makePlayable(server);
    const made = await postMany(server, 400, token, (n) => [
      n % 2 ? '/keys/sessions' : '/keys/leases',
      { contentId },
    ]);
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    // A request that is refused takes as much of the ceiling.
    const refused = await postMany(server, ceiling - 400, token, () => ['/keys/sessions', {}]);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['VALIDATION_FAILED']));
    const answer = await client.post('/keys/leases', token, { contentId });
    expect([answer.status, answer.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['ratelimit-policy']).toBe(`"leases";q=${ceiling};w=60`);
    expect(answer.headers.ratelimit).toMatch(/^"leases";r=0;t=\d+$/);
    const { leaseId } = made[1]?.json.session ?? {};
    expect((await client.post('/keys/leases/revoke', token, { leaseId })).status).toBe(200);
    expect((await client.get(`/keys/${contentId}`, token)).status).toBe(200);
    expect(await readAudit(server, { actor: viewerId })).toEqual([]);
    expect(await readAudit(server, { target: leaseId })).toEqual([]);
  },
);

it.each(servers)('with %s, one token gets 1,200 upload URLs a minute and no audit row', async (_, server) => {
  const { token, contentId, viewerId } = await makePlayable(server);
  const answers = await postMany(server, ceiling + 20, token, (n) => [
    '/presign',
    { key: `content/${contentId}/${n}.ts`, contentType: 'video/mp2t' },
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(ceiling);
  expect(new Set(answers.slice(ceiling).map(({ code }) => code))).toEqual(new Set(['RATE_LIMITED']));
  expect(await readAudit(server, { actor: viewerId })).toEqual([]);
});

it.each(['viewer', 'content', 'pair'])(
  'a viewer token from before a revocation of the %s gets no upload URL of what it names, and a later one does',
  async (what) => {
    const { token, contentId, viewerId } = await makePlayable(off);
    const other = await registerContent(off);
    const presign = async (id: string, as: string) => {
      const json = { key: `content/${id}/1.ts`, contentType: 'video/mp2t' };
      const { status, code } = await off.client.post('/presign', as, json);
      return code ?? status;
    };
    expect(await presign(contentId, token)).toBe(200);
    await revokeLeases(off, {
      ...(what !== 'content' && { viewerId }),
      ...(what !== 'viewer' && { contentId }),
    });
    expect(await presign(contentId, token)).toBe('TOKEN_REVOKED');
    expect(await presign(other, token)).toBe(what === 'viewer' ? 'TOKEN_REVOKED' : 200);
    expect(await presign(contentId, laterToken(off.jwtSecret, viewerId, { scope: 'upload' }))).toBe(200);
    expect(await presign(contentId, off.adminApiKey)).toBe(200);
  },
);

it('an API key that acts for viewers has no ceiling, and each of its sessions has a row', async () => {
  const { adminApiKey } = off;
  const { contentId } = await makePlayable(off);
  const viewerId = unique('viewer');
  const sessions = await postMany(off, 20, adminApiKey, () => ['/keys/sessions', { contentId, viewerId }]);
  const refused = await postMany(off, ceiling + 20, adminApiKey, () => ['/keys/sessions', {}]);
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['VALIDATION_FAILED']));
  const { leaseId } = sessions[0]?.json.session ?? {};
  expect(await readAudit(off, { target: leaseId })).toMatchObject([
    { action: 'session.create', actor: { kind: 'bootstrap-key' } },
  ]);
});
