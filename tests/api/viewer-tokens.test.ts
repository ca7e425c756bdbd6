import { askForKey, registerContent } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { nowSeconds, signToken, viewerToken } from '@latchkey/support/tokens';
import { expect, it } from 'vitest';

// No other test needs these settings.
const server = await startServer({
  AUTH_JWT_AUDIENCE: 'players, apps',
  AUTH_JWT_ISSUER: 'https://login.example,https://former.example',
});
const { jwtSecret: secret } = server;
const contentId = await registerContent(server);
const asked = { aud: 'players', iss: 'https://login.example' };
const now = nowSeconds();
const ask = (token: string) => askForKey(server, { token, contentId });
const token = (claims: Record<string, unknown>) =>
  viewerToken(secret, unique('viewer'), { ...asked, ...claims });
const header = (fields: Record<string, unknown>) =>
  signToken(secret, { sub: 'v', iat: now, exp: now + 600, ...asked }, fields);

// The claims are made right before the request, because the tolerance is 10 s.
it.each<[string, (now: number) => Record<string, unknown>]>([
  ['is as the application issues it', () => ({})],
  ['names several audiences', () => ({ aud: ['others', 'players'] })],
  ['is for the second of the audiences', () => ({ aud: 'apps' })],
  ['is from the second of the issuers', () => ({ iss: 'https://former.example' })],
  ['expired within the tolerance', (now) => ({ exp: now })],
  ['begins within the tolerance', (now) => ({ nbf: now + 6 })],
  ['was issued by a clock that is ahead within the tolerance', (now) => ({ iat: now + 6 })],
  ['was issued nearly a day ago', (now) => ({ iat: now - 86_300 })],
  ['has times with fractions', (now) => ({ iat: now - 0.5, exp: now + 60.5 })],
  ['has a sub in another script', () => ({ sub: '観客-é' })],
])('a token that %s gets a key', async (_what, claims) =>
  expect(await ask(token(claims(nowSeconds())))).toBe('200'),
);

it.each<[string, Record<string, unknown>]>([
  ['expired beyond the tolerance', { exp: now - 60 }],
  ['has no exp', { exp: undefined }],
  ['has an exp that is not a number', { exp: '2099-01-01' }],
  ['begins beyond the tolerance', { nbf: now + 600 }],
  ['has an nbf that is not a number', { nbf: 'soon' }],
  ['was issued more than a day ago', { iat: now - 86_500, exp: now + 600 }],
  ['was issued by a clock that is ahead beyond the tolerance', { iat: now + 600 }],
  ['does not say when it was issued (no iat)', { iat: undefined }],
  ['has an iat that is not a number', { iat: 'now' }],
  ['is for another audience', { aud: 'others' }],
  ['has the whole list as its audience', { aud: 'players, apps' }],
  ['is for no audience', { aud: undefined }],
  ['is from another issuer', { iss: 'https://evil.example' }],
  ['is from no issuer', { iss: undefined }],
  ['has no sub', { sub: undefined }],
  ['has an empty sub', { sub: '' }],
  ['has a sub that is not a text', { sub: 5 }],
  ['has a sub that is null', { sub: null }],
  ['has a sub that is a list', { sub: ['a'] }],
  ['has a content claim that is a number', { content_ids: 5 }],
  ['has a content claim that is an object', { content_ids: {} }],
  ['has a content claim with a number in it', { content_ids: ['a', 5] }],
])('a token that %s gets 401 INVALID_TOKEN', async (_what, claims) =>
  expect(await ask(token(claims))).toBe('401 INVALID_TOKEN'),
);

it('a token signed with another secret gets 401 INVALID_TOKEN', async () => {
  expect(await ask(viewerToken(Buffer.alloc(32, 1), 'v', asked))).toBe('401 INVALID_TOKEN');
});

it('a token whose claims were changed after its signature gets 401 INVALID_TOKEN', async () => {
  const [head, , signature] = token({ content_ids: ['x'] }).split('.');
  const claims = Buffer.from(JSON.stringify({ sub: 'v', exp: now + 600, ...asked })).toString('base64url');
  expect(await ask(`${head}.${claims}.${signature}`)).toBe('401 INVALID_TOKEN');
});

it.each([
  { alg: 'none' },
  { alg: 'None' },
  { alg: 'HS384' },
  { alg: 'HS512' },
  { alg: 'RS256' },
  { alg: 'ES256' },
  { alg: '' },
  { alg: 5 },
  { alg: undefined },
  // RFC 7515, section 4.1.11: it is never empty.
  { crit: [] },
  { crit: ['exp'] },
  { crit: ['urn:example:unknown'], 'urn:example:unknown': true },
  { b64: false, crit: ['b64'] },
])('a token with the header %j gets 401 INVALID_TOKEN', async (fields) =>
  expect(await ask(header(fields))).toBe('401 INVALID_TOKEN'),
);

it('a token with alg none and no signature gets 401 INVALID_TOKEN', async () => {
  expect(await ask(`${header({ alg: 'none' }).split('.').slice(0, 2).join('.')}.`)).toBe('401 INVALID_TOKEN');
});

it.each([
  'eyJ',
  'eyJhbGciOiJIUzI1NiJ9',
  'eyJhbGciOiJIUzI1NiJ9.e30',
  'a.b.c',
  'eyJhbGciOiJIUzI1NiJ9.!.x',
  `ey${'A'.repeat(4_000)}`,
])('the malformed token %.30s gets 401 INVALID_TOKEN', async (text) =>
  expect(await ask(text)).toBe('401 INVALID_TOKEN'),
);

it('the refusal of a token shows none of its claims', async () => {
  const sub = unique('secret-sub');
  const { bytes } = await server.client.get(`/keys/${contentId}`, token({ sub, exp: now - 60 }));
  expect(bytes.toString()).not.toContain(sub);
});

it.each([
  ['is not there', undefined, '200'],
  ['is the content', contentId, '200'],
  ['has the content among others', ['a', contentId], '200'],
  ['is *', '*', '200'],
  ['has * among others', ['a', '*'], '200'],
  ['is empty', [], '403 CONTENT_NOT_ENTITLED'],
  ['is an empty text', '', '403 CONTENT_NOT_ENTITLED'],
  ['is another content', 'another', '403 CONTENT_NOT_ENTITLED'],
  ['has other contents', ['a', 'b'], '403 CONTENT_NOT_ENTITLED'],
  ['is the content in other case', contentId.toUpperCase(), '403 CONTENT_NOT_ENTITLED'],
  ['has * within a text', `${contentId.slice(0, 5)}*`, '403 CONTENT_NOT_ENTITLED'],
])('a token whose content claim %s gets the right answer', async (_what, content_ids, expected) => {
  expect(await ask(token({ content_ids }))).toBe(expected);
});
