import { nowSeconds, signToken, viewerToken } from '@latchkey/support/tokens';
import { adminKey } from './odd-key-requests.ts';
import type { Recorder } from './recorder.ts';
import { tokenSecret } from './settings.ts';
import { waitUntil } from './wait-until.ts';

/** A way to say who asks. */
export interface Credential {
  name: string;
  headers?: readonly string[];
  /** In the query of the target. */
  query?: string;
}

export const token = (sub = 'ada', claims: object = {}) => viewerToken(tokenSecret, sub, { ...claims });

const scopes = ['admin', 'full', 'packager', 'upload', 'playback'] as const;
/** A busy server must read the request before. */
const expiresAfterMs = 5_000;

/** Makes one of each kind. */
export async function makeCredentials({ call, forms }: Recorder): Promise<Credential[]> {
  const create = async (scope: string, more: object = {}) => {
    const created = await call('POST', '/api/v1/api-keys', { name: scope, scope, ...more });
    return { id: created.api_key.id as string, raw: created.raw_key as string };
  };
  const expiresAtMs = Date.now() + expiresAfterMs;
  const expired = await create('admin', { expiresAt: new Date(expiresAtMs).toISOString() });
  const revoked = await create('admin');
  await call('DELETE', `/api/v1/api-keys/${revoked.id}`);
  const keys: Credential[] = [];
  for (const scope of scopes) {
    const { id, raw } = await create(scope);
    forms.remember(raw, `${scope}-key`);
    forms.remember(id, `id-of-${scope}-key`);
    keys.push(bearer(`${scope} key`, raw));
    if (scope === 'packager')
      keys.push({ name: 'packager key by Basic', headers: [basic(`latchkey:${raw}`)] });
  }
  const filmed = { contentId: 'film', viewerId: 'ada' };
  const { session } = await call('POST', '/keys/sessions', filmed);
  forms.remember(session.id, 'session-of-film');
  await waitUntil('an API key has expired', () => Date.now() > expiresAtMs);
  return [
    ...malformed(),
    bearer('unknown API key', `lk_${'b'.repeat(64)}`),
    bearer('revoked API key', revoked.raw),
    bearer('expired API key', expired.raw),
    ...badTokens(),
    { name: 'session in the query', query: `s=${session.id}` },
    ...viewers(),
    ...keys,
    {
      name: 'playback key in the query',
      query: `access_token=${keys.at(-1)?.headers?.[0]?.split(' ').pop()}`,
    },
    bearer('bootstrap key', adminKey),
  ];
}

const bearer = (name: string, text: string): Credential => ({
  name,
  headers: [`authorization: Bearer ${text}`],
});
const basic = (text: string) => `authorization: Basic ${Buffer.from(text).toString('base64')}`;

function malformed(): Credential[] {
  return [
    { name: 'none' },
    { name: 'empty Authorization', headers: ['authorization:'] },
    { name: 'empty Bearer', headers: ['authorization: Bearer'] },
    bearer('text', 'rubbish'),
    bearer('short API key', 'lk_0123'),
    { name: 'Basic without a colon', headers: [basic('latchkey')] },
    { name: 'Basic without Base64', headers: ['authorization: Basic ~'] },
    { name: 'another scheme', headers: ['authorization: Digest a="b"'] },
    {
      name: 'two Authorization headers',
      headers: ['authorization: Bearer a', `authorization: Bearer ${adminKey}`],
    },
  ];
}

function badTokens(): Credential[] {
  const now = nowSeconds();
  const good = { sub: 'ada', iat: now - 60, exp: now + 3_600 };
  const signed = (name: string, claims: object, header: object = {}, secret = tokenSecret) =>
    bearer(`token ${name}`, signToken(secret, { ...claims }, { ...header }));
  return [
    signed('of another secret', good, {}, tokenSecret.toUpperCase()),
    signed('that expired', { ...good, exp: now - 60 }),
    signed('not yet valid', { ...good, nbf: now + 600 }),
    signed('of the future', { ...good, iat: now + 600 }),
    signed('too old', { ...good, iat: now - 90_000 }),
    signed('without exp', { ...good, exp: undefined }),
    signed('without iat', { ...good, iat: undefined }),
    signed('without sub', { ...good, sub: undefined }),
    signed('with an empty sub', { ...good, sub: '' }),
    signed('with a number as sub', { ...good, sub: 5 }),
    signed('with a text as exp', { ...good, exp: '9999999999' }),
    signed('with alg none', good, { alg: 'none' }),
    signed('with alg RS256', good, { alg: 'RS256' }),
    signed('with an unknown crit', good, { crit: ['x'] }),
    signed('with a content claim of another form', { ...good, content_ids: { film: true } }),
    bearer('token without a signature', `${signToken(tokenSecret, good).split('.').slice(0, 2).join('.')}.`),
  ];
}

function viewers(): Credential[] {
  return [
    bearer('viewer', token()),
    bearer('another viewer', token('bob')),
    bearer('viewer of another content', token('ada', { content_ids: ['other'] })),
    bearer('viewer of every content', token('ada', { content_ids: ['*'] })),
    bearer('viewer with scope upload', token('ada', { scope: 'upload' })),
    { name: 'viewer in the cookie', headers: [`cookie: latchkey_token=${token()}`] },
    {
      name: 'viewer in the cookie of another site',
      headers: [
        `cookie: latchkey_token=${token()}`,
        'origin: https://other.example',
        'sec-fetch-site: cross-site',
      ],
    },
    { name: 'viewer in the query', query: `access_token=${token()}` },
  ];
}
