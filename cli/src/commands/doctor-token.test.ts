import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createManualClock } from '@latchkey/shared/testing';
import { stopTime } from '@latchkey/shared/testing/stop-time';
import { makeIssuerKey, signToken } from '@latchkey/support/tokens';
import { expect, test } from 'vitest';
import { listen } from '../testing/listen.ts';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

/** The clock of the command. */
const now = createManualClock().now() / 1_000;
const times = { iat: now - 60, exp: now + 3_600 };
const secret = 'a token secret that is long enough, surely';
const entry = {
  ...{ name: 'acme', issuer: 'https://acme.example', secret, viewerPrefix: 'acme:' },
  ...{ audience: 'tv', audienceClaim: 'azp', contentClaim: '/app/films', contents: ['acme-*', 'shared'] },
};
const own = { name: 'own', issuer: 'https://own.example', secret: `${secret} of own` };
const AUTH_ISSUERS = JSON.stringify([entry, own]);
const ofAcme = { iss: entry.issuer, azp: 'tv', app: { films: ['acme-1', 'own-1'] } };

const viewerToken = (by: string, sub: string, claims: object = {}) =>
  signToken(by, { sub, ...times, ...claims });

/** The lines of `latchkey doctor --token`, and its exit code. No output has a part of the token. */
async function examine(token: string, env: Record<string, string> = { AUTH_ISSUERS }) {
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, `Bearer ${token}\n`);
  const { exitCode, stdout, stderr } = await runCommand(['doctor', '--token', file], { env });
  for (const part of token.split('.').filter((each) => each.length > 8))
    expect(stdout + stderr).not.toContain(part);
  expect(stdout + stderr).not.toContain(secret);
  return { exitCode, lines: stdout.split('\n').filter((line) => /^(ok|WRONG)/.test(line)), stderr };
}

test('doctor --token shows each step of a token that is accepted, and what it opens', async () => {
  const { exitCode, lines } = await examine(viewerToken(secret, 'bob', ofAcme));
  expect(lines).toEqual([
    'ok       issuer: is acme, by its iss',
    'ok       signature: was made with a key of the issuer',
    expect.stringMatching(/^ok {7}times: it expires 2\S+Z, and was issued 2\S+Z$/),
    'ok       audience: in azp is accepted',
    'ok       viewer: is acme:bob, by sub with the prefix acme:',
    'ok       content claim: /app/films opens acme-1, own-1',
    'ok       contents: it opens acme-1',
  ]);
  expect(exitCode).toBe(0);
});

test.each<[string, () => string, string[]]>([
  ['of no issuer', () => viewerToken(secret, 'bob'), ['WRONG    issuer: its claim iss is missing']],
  [
    'of an unknown issuer',
    () => viewerToken(secret, 'bob', { iss: 'x' }),
    ['WRONG    issuer: its claim iss is not accepted'],
  ],
  [
    'of another secret',
    () => viewerToken(own.secret, 'bob', ofAcme),
    ['WRONG    signature: its signature is wrong'],
  ],
  [
    'that has expired, and is wrong in other ways, too',
    () => viewerToken(secret, '', { ...ofAcme, exp: now - 60, azp: 'web' }),
    [
      'WRONG    times: it has expired',
      'WRONG    audience: its claim azp is not accepted',
      'WRONG    viewer: its claim sub has to be a text that is not empty',
    ],
  ],
  [
    'without iat',
    () => viewerToken(secret, 'bob', { ...ofAcme, iat: undefined }),
    ['WRONG    times: its claim iat is missing: the time at which it was issued'],
  ],
  [
    'with a content claim of another form',
    () => viewerToken(secret, 'bob', { ...ofAcme, app: { films: 7 } }),
    ['WRONG    content claim: its claim /app/films has to be a text or a list of texts'],
  ],
  [
    'without its content claim, which is named',
    () => viewerToken(secret, 'bob', { ...ofAcme, app: {} }),
    ['WRONG    contents: it opens nothing'],
  ],
  [
    'whose contents its issuer cannot open',
    () => viewerToken(secret, 'bob', { ...ofAcme, app: { films: 'own-1' } }),
    ['WRONG    contents: it opens nothing: its issuer can open acme-*, shared only'],
  ],
  [
    'in the namespace of another issuer',
    () => viewerToken(own.secret, 'acme:bob', { iss: own.issuer }),
    ['WRONG    viewer: its claim sub is not accepted: the viewers of another issuer have such ids'],
  ],
])('doctor --token tells why a token is refused: one %s', async (_what, make, expected) => {
  const { exitCode, lines } = await examine(make());
  expect(lines.filter((line) => line.startsWith('WRONG'))).toEqual(expected);
  expect(exitCode).toBe(1);
});

test('doctor --token fetches the key set of the issuer, and judges a token by the variables for one issuer as well', async () => {
  stopTime();
  const key = await makeIssuerKey('ES256', 'k');
  const url = await listen((_request, response) => response.end(JSON.stringify({ keys: [key.jwk] })));
  const env = { AUTH_JWKS_URL: `${url}/jwks` };
  expect((await examine(await key.sign('bob', times), env)).lines).toEqual([
    'ok       issuer: is default, which accepts every iss',
    'ok       signature: was made with a key of the issuer',
    expect.stringContaining('times: it expires'),
    'ok       audience: is not checked',
    'ok       viewer: is bob, by sub',
    'ok       content claim: content_ids opens everything, or is missing and not required',
    'ok       contents: it opens everything',
  ]);
  const strange = await (await makeIssuerKey('ES256', 'other')).sign('bob', times);
  expect((await examine(strange, env)).lines.at(-1)).toBe(
    'WRONG    signature: its key is not in the key set',
  );
  const away = await examine(await key.sign('bob', times), { AUTH_JWKS_URL: 'http://127.0.0.1:1/jwks' });
  expect(away.lines.at(-1)).toContain('WRONG    signature: the token cannot be checked');
});

test('doctor --token refuses a file without a token, and a configuration without an issuer or with a fault in it', async () => {
  const refused = await examine('not.a.token');
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('has to hold one token')]);
  const token = signToken(secret, { sub: 'bob' });
  expect((await examine(token, {})).stderr).toContain('no issuer of tokens is configured');
  expect((await examine(token, { AUTH_ISSUERS: '[]' })).lines).toEqual([
    expect.stringMatching(/^WRONG {4}AUTH_ISSUERS: .*0 entries/),
  ]);
});
