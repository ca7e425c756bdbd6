import { expect, it } from 'vitest';
import type { Answer } from './answer.ts';
import { makeScene, registerContent, revokeLeases, type Scene } from './server-actions.ts';
import { playlistOrigin, sharedSettings } from './shared-settings.ts';
import { openShared, startServer, type Target } from './target.ts';
import { laterToken, unique, viewerToken } from './tokens.ts';

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
/** `docs/contract.md#rate-limits`. */
const ceiling = 1_200;

async function makePlayable(server: Target): Promise<Scene> {
  const scene = await makeScene(server);
  const json = { playlistUrl: `${playlistOrigin}/${scene.contentId}.m3u8` };
  await server.client.call('PATCH', `/api/v1/content/${scene.contentId}`, { as: server.adminApiKey, json });
  return { ...scene, token: viewerToken(server.jwtSecret, scene.viewerId, { scope: 'upload' }) };
}

async function auditOf({ client, adminApiKey }: Target, query: Record<string, string>) {
  const { json } = await client.get(`/api/v1/audit?${new URLSearchParams(query)}`, adminApiKey);
  return json.audit as { action: string; target: string; actor: { kind: string } }[];
}

/** Calls as a crowd does, in parts, so that no part waits for a slow answer. @returns the answers in their order */
async function callMany(count: number, call: (n: number) => Promise<Answer>): Promise<Answer[]> {
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
    const made = await callMany(400, (n) =>
      client.post(n % 2 ? '/keys/sessions' : '/keys/leases', token, { contentId }),
    );
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    // A request that is refused takes as much of the ceiling.
    const refused = await callMany(ceiling - 400, () => client.post('/keys/sessions', token, {}));
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['VALIDATION_FAILED']));
    const answer = await client.post('/keys/leases', token, { contentId });
    expect([answer.status, answer.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['ratelimit-policy']).toBe(`"leases";q=${ceiling};w=60`);
    expect(answer.headers.ratelimit).toMatch(/^"leases";r=0;t=\d+$/);
    const { leaseId } = made[1]?.json.session ?? {};
    expect((await client.post('/keys/leases/revoke', token, { leaseId })).status).toBe(200);
    expect((await client.get(`/keys/${contentId}`, token)).status).toBe(200);
    expect(await auditOf(server, { actor: viewerId })).toEqual([]);
    expect(await auditOf(server, { target: leaseId })).toEqual([]);
  },
);

it.each(servers)('with %s, one token gets 1,200 upload URLs a minute and no audit row', async (_, server) => {
  const { client } = server;
  const { token, contentId, viewerId } = await makePlayable(server);
  const presign = (n: number) =>
    client.post('/presign', token, { key: `content/${contentId}/${n}.ts`, contentType: 'video/mp2t' });
  const answers = await callMany(ceiling + 20, presign);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(ceiling);
  expect(new Set(answers.slice(ceiling).map(({ code }) => code))).toEqual(new Set(['RATE_LIMITED']));
  expect(await auditOf(server, { actor: viewerId })).toEqual([]);
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
  const { client, adminApiKey } = off;
  const { contentId } = await makePlayable(off);
  const viewerId = unique('viewer');
  const sessions = await callMany(20, () =>
    client.post('/keys/sessions', adminApiKey, { contentId, viewerId }),
  );
  const refused = await callMany(ceiling + 20, () => client.post('/keys/sessions', adminApiKey, {}));
  expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['VALIDATION_FAILED']));
  const { leaseId } = sessions[0]?.json.session ?? {};
  expect(await auditOf(off, { target: leaseId })).toMatchObject([
    { action: 'session.create', actor: { kind: 'bootstrap-key' } },
  ]);
});
