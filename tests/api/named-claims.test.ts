import { type Answer, outcomeOf } from '@latchkey/support/black-box/answer';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { startServer, type Target } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { uploadsOn } from '@latchkey/support/black-box/upload-settings';
import { nowSeconds, signToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';
import { keyIdOf } from './key-id.ts';

const origin = 'https://cdn.example';
const claims = {
  AUTH_JWT_CONTENT_CLAIM: '/app_metadata/content_ids',
  AUTH_JWT_VIEWER_CLAIM: 'https://example.com/user',
};
// No other test needs these settings.
const [server, lenient, demanding] = await Promise.all([
  startServer({ ...claims, ...uploadsOn, PUBLIC_URL: 'https://keys.example', PLAYLIST_ORIGINS: origin }),
  startServer({
    AUTH_JWT_CONTENT_CLAIM: 'app_metadata.content_ids',
    AUTH_JWT_CONTENT_CLAIM_REQUIRED: 'false',
  }),
  startServer({ AUTH_JWT_CONTENT_CLAIM_REQUIRED: 'true' }),
]);
const { client, adminApiKey } = server;

const contentId = await registerContent(server);
await client.call('PATCH', `/api/v1/content/${contentId}`, {
  as: adminApiKey,
  json: { playlistUrl: `${origin}/master.m3u8` },
});

const viewerId = unique('viewer');
/** As an identity provider makes it: `sub` is one of its own ids. */
function tokenOf({ jwtSecret }: Pick<Target, 'jwtSecret'>, more: Record<string, unknown> = {}): string {
  const iat = nowSeconds() - 60;
  const usual = { sub: 'auth0|7', 'https://example.com/user': viewerId, scope: 'upload' };
  return signToken(jwtSecret, { ...usual, iat, exp: iat + 3_600, ...more });
}
const entitledTo = (content_ids: unknown) => ({ app_metadata: { content_ids } });
const keyBy = async (target: Target, token: string, id = contentId) =>
  outcomeOf(await target.client.get(`/keys/${id}`, token));

/** Every way in which a token opens a content. */
const ways: [string, string, (token: string) => Promise<Answer>][] = [
  ['a key', '200', (token) => client.get(`/keys/${contentId}`, token)],
  ['the key of an epoch', '200', (token) => client.get(`/keys/${contentId}/3`, token)],
  [
    'the key of a key id',
    '200',
    (token) => client.get(`/keys/${contentId}/kid/00000000-0000-4000-8000-000000000001`, token),
  ],
  [
    'a licence',
    '200',
    (token) =>
      client.post(`/licenses/clearkey/${contentId}`, token, {
        kids: [keyIdOf(contentId)],
        type: 'temporary',
      }),
  ],
  ['a lease', '201', (token) => client.post('/keys/leases', token, { contentId })],
  ['a session', '201', (token) => client.post('/keys/sessions', token, { contentId })],
  [
    'an upload URL',
    '200',
    (token) =>
      client.post('/presign', token, { key: `content/${contentId}/a.ts`, contentType: 'video/mp2t' }),
  ],
];

describe('where AUTH_JWT_CONTENT_CLAIM names a claim within another one', () => {
  it.each(ways)(
    '%s is given to a token whose claim lists the content, and to no other',
    async (_what, given, ask) => {
      expect(outcomeOf(await ask(tokenOf(server, entitledTo([contentId, 'x']))))).toBe(given);
      expect(outcomeOf(await ask(tokenOf(server, entitledTo(`x ${contentId}`))))).toBe(given);
      expect(outcomeOf(await ask(tokenOf(server, entitledTo('*'))))).toBe(given);
      for (const claim of [
        entitledTo(['other']),
        entitledTo([]),
        entitledTo(''),
        entitledTo(undefined),
        {},
        { app_metadata: null },
        { 'app_metadata.content_ids': '*', content_ids: '*' },
      ])
        expect(outcomeOf(await ask(tokenOf(server, claim))), JSON.stringify(claim)).toBe(
          '403 CONTENT_NOT_ENTITLED',
        );
      for (const claim of [7, null, { a: 1 }, ['a', 7]])
        expect(outcomeOf(await ask(tokenOf(server, entitledTo(claim))))).toBe('401 INVALID_TOKEN');
    },
  );

  it('a lease is not renewed by a token that has lost the claim', async () => {
    const { json } = await client.post('/keys/leases', tokenOf(server, entitledTo(contentId)), { contentId });
    const renew = (more: object) =>
      client.post('/keys/leases/renew', tokenOf(server, { ...more }), { leaseId: json.lease.id });
    expect(outcomeOf(await renew({}))).toBe('403 CONTENT_NOT_ENTITLED');
    expect(outcomeOf(await renew(entitledTo(contentId)))).toBe('200');
  });
});

it('a name with a dot is the literal name of a claim, and with AUTH_JWT_CONTENT_CLAIM_REQUIRED=false a token without it opens every content', async () => {
  await registerContent(lenient, contentId);
  expect(await keyBy(lenient, tokenOf(lenient))).toBe('200');
  expect(await keyBy(lenient, tokenOf(lenient, entitledTo('other')))).toBe('200');
  for (const [claim, expected] of [
    ['other', '403 CONTENT_NOT_ENTITLED'],
    [contentId, '200'],
  ] as const)
    expect(await keyBy(lenient, tokenOf(lenient, { 'app_metadata.content_ids': claim }))).toBe(expected);
});

it('with AUTH_JWT_CONTENT_CLAIM_REQUIRED=true alone, a token without content_ids opens nothing', async () => {
  await registerContent(demanding, contentId);
  expect(await keyBy(demanding, tokenOf(demanding))).toBe('403 CONTENT_NOT_ENTITLED');
  expect(await keyBy(demanding, tokenOf(demanding, { content_ids: contentId }))).toBe('200');
});

describe('where AUTH_JWT_VIEWER_CLAIM names a claim', () => {
  const open = entitledTo('*');

  it('its value is the viewer of leases, and sub is not needed', async () => {
    const { json } = await client.post('/keys/leases', tokenOf(server, { ...open, sub: undefined }), {
      contentId,
    });
    expect(json.lease.viewerId).toBe(viewerId);
  });

  it('a revocation of that viewer holds for its tokens, whatever their sub is', async () => {
    const own = { ...open, 'https://example.com/user': unique('viewer') };
    expect(await keyBy(server, tokenOf(server, own))).toBe('200');
    const revoked = await client.post('/keys/leases/revoke', adminApiKey, {
      viewerId: own['https://example.com/user'],
    });
    expect(revoked.status).toBe(200);
    await expect
      .poll(() => keyBy(server, tokenOf(server, { ...own, sub: unique('other') })), { timeout: 10_000 })
      .toBe('403 TOKEN_REVOKED');
  });

  it.each([
    ['missing', undefined, 'Its claim https://example.com/user is missing: the id of the viewer.'],
    ['a number', 42, 'Its claim https://example.com/user has to be a text that is not empty.'],
    ['empty', '', 'Its claim https://example.com/user has to be a text that is not empty.'],
  ])('a token in which it is %s gets 401, and the answer says so', async (_what, id, reason) => {
    const answer = await client.get(
      `/keys/${contentId}`,
      tokenOf(server, { ...open, 'https://example.com/user': id }),
    );
    expect([answer.status, answer.json.detail]).toEqual([401, `The token is not accepted. ${reason}`]);
  });
});
