import { outcomeOf } from '@latchkey/support/black-box/answer';
import { eventually } from '@latchkey/support/black-box/eventually';
import { registerContent } from '@latchkey/support/black-box/server-actions';
import { startServer } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { makeIssuerKey, nowSeconds, signToken, viewerToken } from '@latchkey/support/tokens';
import { describe, expect, it } from 'vitest';
import { startKeySetServer } from './key-set-server.ts';

const provider = await startKeySetServer();
const key = await makeIssuerKey('ES256', unique('k'));
provider.publish([key]);
const secrets = { own: unique('own').padEnd(40, '.'), acme: unique('acme').padEnd(40, '.') };
const own = { iss: 'https://own.example/' };
const acme = { iss: 'https://acme.example', azp: 'tv' };
const globex = { iss: 'https://globex.example' };
const entries = [
  { name: 'own', issuer: own.iss, secret: secrets.own },
  {
    ...{ name: 'acme', issuer: acme.iss, secret: secrets.acme, viewerPrefix: 'acme:' },
    ...{ audience: ['player', 'tv'], audienceClaim: 'azp', contents: ['acme-*', 'shared'] },
  },
  {
    ...{ name: 'globex', issuer: globex.iss, jwksUrl: provider.url, viewerPrefix: 'globex:' },
    ...{ viewerClaim: '/user/id', contentClaim: 'films', contents: ['globex-1'] },
  },
  // Nothing listens there.
  {
    name: 'away',
    issuer: 'https://away.example',
    jwksUrl: 'http://127.0.0.1:9/jwks.json',
    viewerPrefix: 'away:',
  },
];
// No other test needs these settings.
const server = await startServer({ AUTH_ISSUERS: JSON.stringify(entries), AUTH_JWT_SECRET: undefined });
const { client, adminApiKey } = server;
const contents = ['acme-1', 'shared', 'globex-1', 'globex-12', 'own-1'];
for (const id of contents) await registerContent(server, id);

const ofOwn = (sub: unknown, claims: object = {}) => viewerToken(secrets.own, '', { ...own, sub, ...claims });
const ofAcme = (sub: unknown, claims: object = {}) =>
  viewerToken(secrets.acme, '', { ...acme, sub, ...claims });
const ofGlobex = (id: unknown, claims: object = {}) =>
  key.sign('ignored', { ...globex, iat: nowSeconds() - 60, user: { id }, films: '*', ...claims });
const at = (token: string, content: string) => client.get(`/keys/${content}`, token);

/** The contents that a token opens; the answer to it if it is not accepted. */
async function opensBy(token: string): Promise<string> {
  const answers = await Promise.all(
    contents.map(async (id) => [id, outcomeOf(await at(token, id))] as const),
  );
  const refused = answers.find(([, outcome]) => outcome !== '200' && outcome !== '403 CONTENT_NOT_ENTITLED');
  return refused ? refused[1] : answers.flatMap(([id, outcome]) => (outcome === '200' ? [id] : [])).join(' ');
}

const all = contents.join(' ');
const opened: [string, () => string | Promise<string>, string][] = [
  ['of own without a claim', () => ofOwn('bob'), all],
  ['of own with a star', () => ofOwn('bob', { content_ids: '*' }), all],
  ['of own with a list', () => ofOwn('bob', { content_ids: ['own-1', 'acme-1'] }), 'acme-1 own-1'],
  [
    'of own with several ids in one text',
    () => ofOwn('bob', { content_ids: 'own-1 shared' }),
    'shared own-1',
  ],
  ['of own with an empty list', () => ofOwn('bob', { content_ids: [] }), ''],
  ['of own with a prefix as a claim', () => ofOwn('bob', { content_ids: ['acme-*'] }), ''],
  ['of own whose id begins almost as the ids of acme', () => ofOwn('acme'), all],
  ['of own whose id has the prefix within it', () => ofOwn('x acme:bob'), all],
  ['of own whose id has the prefix in capitals', () => ofOwn('ACME:bob'), all],
  ['of acme without a claim', () => ofAcme('bob'), 'acme-1 shared'],
  ['of acme with a star', () => ofAcme('bob', { content_ids: ['*'] }), 'acme-1 shared'],
  ['of acme with everything listed', () => ofAcme('bob', { content_ids: contents }), 'acme-1 shared'],
  ['of acme with everything in one text', () => ofAcme('bob', { content_ids: all }), 'acme-1 shared'],
  ['of acme with a content of own', () => ofAcme('bob', { content_ids: 'own-1' }), ''],
  ['of acme with one content', () => ofAcme('bob', { content_ids: ['acme-1'] }), 'acme-1'],
  ['of acme with the prefix of another', () => ofAcme('globex:bob'), 'acme-1 shared'],
  ['of acme for its other audience', () => ofAcme('bob', { azp: 'player' }), 'acme-1 shared'],
  ['of acme with a list of audiences', () => ofAcme('bob', { azp: ['x', 'tv'] }), 'acme-1 shared'],
  ['of acme with any aud', () => ofAcme('bob', { aud: 'other' }), 'acme-1 shared'],
  ['of globex with a star', () => ofGlobex('bob'), 'globex-1'],
  ['of globex with everything listed', () => ofGlobex('bob', { films: contents }), 'globex-1'],
  ['of globex without its claim, which is named', () => ofGlobex('bob', { films: undefined }), ''],
  ['of globex with the claim of others', () => ofGlobex('bob', { films: undefined, content_ids: '*' }), ''],
  [
    'of globex with a content that only begins like its own',
    () => ofGlobex('bob', { films: 'globex-12' }),
    '',
  ],
];

const usual = () => ({ iat: nowSeconds() - 60, exp: nowSeconds() + 600 });
const refused: [string, () => string | Promise<string>, string][] = [
  ['without iss', () => ofOwn('bob', { iss: undefined }), 'Its claim iss is missing.'],
  [
    'of an unknown issuer',
    () => ofOwn('bob', { iss: 'https://evil.example' }),
    'Its claim iss is not accepted.',
  ],
  [
    'with an iss without its slash',
    () => ofOwn('bob', { iss: 'https://own.example' }),
    'Its claim iss is not accepted.',
  ],
  [
    'with an iss with a slash too many',
    () => ofAcme('bob', { iss: `${acme.iss}/` }),
    'Its claim iss is not accepted.',
  ],
  [
    'with an iss in capitals',
    () => ofAcme('bob', { iss: 'https://ACME.example' }),
    'Its claim iss is not accepted.',
  ],
  [
    'with the name of an entry as its iss',
    () => ofAcme('bob', { iss: 'acme' }),
    'Its claim iss is not accepted.',
  ],
  ['with an empty iss', () => ofOwn('bob', { iss: '' }), 'Its claim iss is not accepted.'],
  ['with an iss that is null', () => ofOwn('bob', { iss: null }), 'Its claim iss is not accepted.'],
  ['with an iss that is a number', () => ofOwn('bob', { iss: 7 }), 'Its claim iss is not accepted.'],
  ['with an iss that is a list', () => ofOwn('bob', { iss: [own.iss] }), 'Its claim iss is not accepted.'],
  [
    'signed by acme in the name of own',
    () => viewerToken(secrets.acme, 'bob', own),
    'Its signature is wrong.',
  ],
  [
    'signed by own in the name of acme',
    () => viewerToken(secrets.own, 'bob', acme),
    'Its signature is wrong.',
  ],
  [
    'signed by own in the name of globex',
    () => viewerToken(secrets.own, 'bob', globex),
    'Its algorithm is not allowed.',
  ],
  ['signed by globex in the name of own', () => ofGlobex('bob', own), 'Its algorithm is not allowed.'],
  ['signed by globex in the name of acme', () => ofGlobex('bob', acme), 'Its algorithm is not allowed.'],
  [
    'of globex with a key of its own making',
    async () =>
      (await makeIssuerKey('ES256', String(key.jwk.kid))).sign('v', { ...globex, user: { id: 'bob' } }),
    'Its signature is wrong.',
  ],
  [
    'of own, in the namespace of acme',
    () => ofOwn('acme:bob'),
    'Its claim sub is not accepted: the viewers of another issuer have such ids.',
  ],
  [
    'of own, in the namespace of globex',
    () => ofOwn('globex:bob'),
    'Its claim sub is not accepted: the viewers of another issuer have such ids.',
  ],
  [
    'of own, whose id is the prefix alone',
    () => ofOwn('away:'),
    'Its claim sub is not accepted: the viewers of another issuer have such ids.',
  ],
  ['of acme without sub', () => ofAcme(undefined), 'Its claim sub is missing: the id of the viewer.'],
  ['of acme with an empty sub', () => ofAcme(''), 'Its claim sub has to be a text that is not empty.'],
  [
    'of globex without its viewer claim',
    () => ofGlobex(undefined),
    'Its claim /user/id is missing: the id of the viewer.',
  ],
  [
    'of globex with a number as its viewer',
    () => ofGlobex(7),
    'Its claim /user/id has to be a text that is not empty.',
  ],
  [
    'of acme without its audience',
    () => ofAcme('bob', { azp: undefined, aud: 'tv' }),
    'Its claim azp is missing.',
  ],
  ['of acme for another audience', () => ofAcme('bob', { azp: 'web' }), 'Its claim azp is not accepted.'],
  ['of acme that has expired', () => ofAcme('bob', { exp: nowSeconds() - 60 }), 'It has expired.'],
  [
    'of acme without iat',
    () => ofAcme('bob', { iat: undefined }),
    'Its claim iat is missing: the time at which it was issued.',
  ],
  [
    'of acme with contents of another form',
    () => ofAcme('bob', { content_ids: 7 }),
    'Its claim content_ids has to be a text or a list of texts.',
  ],
  [
    'of globex by alg none',
    () => signToken('', { ...globex, ...usual(), user: { id: 'bob' } }, { alg: 'none' }),
    'Its algorithm is not allowed.',
  ],
  [
    'of globex by HS256 with its published key',
    () => signToken(JSON.stringify(key.jwk), { ...globex, ...usual() }),
    'Its algorithm is not allowed.',
  ],
];

describe('of several issuers, a token opens what its own entry allows', () => {
  it.each(opened)('%s', async (_what, make, expected) => {
    const token = await make();
    // The second time it is remembered.
    for (let time = 0; time < 2; time++) expect(await opensBy(token)).toBe(expected);
  });
});

describe('a token that is of no issuer, or of another one than it says, gets 401 with the reason', () => {
  it.each(refused)('%s', async (_what, make, reason) => {
    const { status, json } = await at(await make(), 'shared');
    expect([status, json.code, json.detail]).toEqual([
      401,
      'INVALID_TOKEN',
      `The token is not accepted. ${reason}`,
    ]);
  });
});

it('viewers with one id at three issuers are three viewers, with leases and revocations of their own', async () => {
  const id = unique('bob');
  const [owns, acmes, globexs] = [ofOwn(id), ofAcme(id), await ofGlobex(id)];
  const lease = async (token: string, contentId: string) =>
    (await client.post('/keys/leases', token, { contentId })).json.lease;
  const leases = [
    await lease(owns, 'shared'),
    await lease(acmes, 'shared'),
    await lease(globexs, 'globex-1'),
  ];
  expect(leases.map(({ viewerId }) => viewerId)).toEqual([id, `acme:${id}`, `globex:${id}`]);
  const foreign = await client.get('/keys/shared', owns, { 'x-lease-id': leases[1].id });
  expect(outcomeOf(foreign)).toBe('403 LEASE_UNKNOWN');
  const revoked = await client.post('/keys/leases/revoke', adminApiKey, { viewerId: `acme:${id}` });
  expect(revoked.json.revoked).toBe(1);
  await eventually(async () => expect(outcomeOf(await at(acmes, 'shared'))).toBe('403 TOKEN_REVOKED'));
  expect(outcomeOf(await at(owns, 'shared'))).toBe('200');
  expect(outcomeOf(await at(globexs, 'globex-1'))).toBe('200');
});

it('a block names a viewer with its prefix, and the viewers of other issuers with the same id play on', async () => {
  const id = unique('bob');
  const path = `/api/v1/viewers/${encodeURIComponent(`acme:${id}`)}/block`;
  expect((await client.call('PUT', path, { as: adminApiKey, json: {} })).status).toBe(200);
  await eventually(async () => expect(outcomeOf(await at(ofAcme(id), 'shared'))).toBe('403 VIEWER_BLOCKED'));
  expect(outcomeOf(await at(ofOwn(id), 'shared'))).toBe('200');
  expect(outcomeOf(await at(await ofGlobex(id), 'globex-1'))).toBe('200');
});

it('a key decision, the list of leases and the refusals have the viewer with its prefix and the contents of its issuer', async () => {
  const id = unique('bob');
  const token = ofAcme(id);
  const { json: explained } = await client.post('/api/v1/key-decisions', adminApiKey, {
    contentId: 'own-1',
    token,
  });
  expect(explained).toMatchObject({
    viewerId: `acme:${id}`,
    code: 'CONTENT_NOT_ENTITLED',
    // No token of this issuer can open it.
    withNewToken: { outcome: 'refused', code: 'CONTENT_NOT_ENTITLED' },
  });
  expect(outcomeOf(await at(token, 'own-1'))).toBe('403 CONTENT_NOT_ENTITLED');
  const own = await eventually(async () => {
    const { json } = await client.get('/api/v1/statistics?steps=1&refusals=500', adminApiKey);
    const found = json.statistics.refusals.find(
      ({ viewerId }: { viewerId: string }) => viewerId === `acme:${id}`,
    );
    expect(found?.contentIds).toEqual(['acme-*', 'shared']);
    return found;
  });
  const decide = async (contentId: string) => {
    const asked = { contentId, viewerId: own.viewerId, contentIds: own.contentIds };
    return (await client.post('/api/v1/key-decisions', adminApiKey, asked)).json.code;
  };
  expect([await decide('own-1'), await decide('acme-1')]).toEqual(['CONTENT_NOT_ENTITLED', null]);
});

it('an issuer that is out of reach gets 503, is named by /ready and by the operator’s log, and stops no other one', async () => {
  const token = await key.sign('bob', { iss: 'https://away.example' });
  expect(outcomeOf(await at(token, 'shared'))).toBe('503 DEPENDENCY_UNAVAILABLE');
  expect(outcomeOf(await at(ofAcme('bob'), 'shared'))).toBe('200');
  await eventually(async () => {
    const { status, json } = await client.get('/ready');
    expect(status).toBe(200);
    const own = json.dependencies['key-derivation']?.dependencies ?? json.dependencies;
    expect([own['issuer:away']?.status, own['issuer:globex']?.status]).toEqual(['down', 'up']);
  });
  await eventually(async () =>
    expect(server.process.stderr()).toContain('the key set of issuer away could not be fetched'),
  );
});
