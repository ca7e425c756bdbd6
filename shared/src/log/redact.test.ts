import { randomBytes, randomUUID } from 'node:crypto';
import { signToken } from '@latchkey/support/tokens';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSid } from '../contracts/index.ts';
import { holdsCredential, holdsSession, redact, redactId, redactName } from './redact.ts';

const digits = '0123456789abcdef'.repeat(4);
const token = signToken(Buffer.alloc(32), { sub: 'ada', exp: 1 });

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36'],
  ['subdomain.cloudfront.example.com'],
  ['ada.lovelace@example.com'],
  ['viewer:eyewitness-news.example.org'],
  ['018f3a3e-7b1c-7c3e-9d2f-5f3b8c1d2e4f'],
  ['lk_0123abcd'],
  ['100%'],
  ['%D0%B6%D0%B6'],
])('what holds no credential is written as it is: %s', (text) => expect(redact(text)).toBe(text));

test.each([
  [`a ${`lk_${digits}`} b`, 'a lk_*** b'],
  [`xLK_${digits.toUpperCase()}`, 'xlk_***'],
  [`lk_${digits.slice(0, 40)}`, 'lk_***'],
  // The shortest of each kind.
  [`lk_${digits.slice(0, 9)}`, 'lk_***'],
  ['lkc_AbCdEfGhI', 'lkc_***'],
  ['eyJhbGciOiJ.', '***'],
  ['eyJ%68bGciOiJ.', '***'],
  [`agent/${token}`, 'agent/***'],
  [`(${token}.and.more)`, '(***)'],
  [`x.${token}`, 'x.***'],
  [token.slice(0, token.lastIndexOf('.') + 1), '***'],
  // A header that begins with a blank, as our verifier does not take it and others may.
  [`${Buffer.from('{ "alg":"HS256" }').toString('base64url')}.${'c'.repeat(20)}.${'s'.repeat(43)}`, '***'],
])('%s is written as %s', (text, written) => expect(redact(text)).toBe(written));

/** Each way of percent-encoding: none, some characters, all of them, and each of those again. */
const encodings = fc.array(fc.constantFrom('all', 'some', 'none'), { maxLength: 3 });
function encode(text: string, ways: readonly string[]): string {
  let encoded = text;
  for (const way of ways) {
    encoded = Array.from(encoded, (letter, index) =>
      way === 'all' || (way === 'some' && index % 3 === 0)
        ? `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`
        : letter,
    ).join('');
  }
  return encoded;
}

test('no API key or token is written, at any position and in any encoding', () => {
  const credential = fc.oneof(
    fc.stringMatching(/^lk_[0-9a-f]{64}$/),
    fc
      .record({ sub: fc.string({ minLength: 1 }), exp: fc.nat() })
      .map((claims) => signToken(Buffer.alloc(32), claims)),
  );
  fc.assert(
    fc.property(fc.string(), credential, fc.string(), encodings, (before, secret, after, ways) => {
      const written = redact(`${before}${encode(secret, ways)}${after}`);
      const decoded = [written, ...Array.from({ length: 4 })].reduce<string>(
        (text) =>
          text.replace(/%([2-7][0-9a-f])/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16))),
        written,
      );
      for (const text of [written, decoded]) {
        expect(text).not.toContain(secret);
        // Nor most of it, nor what a token says.
        expect(text).not.toContain(secret.slice(-40));
        if (secret.includes('.')) expect(text).not.toContain(secret.split('.')[1]);
      }
    }),
    { numRuns: 500 },
  );
});

test('redacting a redacted text changes nothing', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[\w.%-]{0,80}$/), (text) => {
      const once = redact(text);
      expect(redact(once)).toBe(once);
    }),
  );
});

test('the id of a session is hidden in every text that has its URL, such as a Referer', () => {
  const sid = 'Xxuhl34KTVWaQw1vP28MEQECAwQFBgcICQoLDA0ODxA';
  for (const text of [
    `https://keys.example/play/${sid}/index.m3u8`,
    `https://keys.example/keys/a/1?x=1&s=${sid}`,
    `GET%20%2Fplay%2F${sid}`,
  ]) {
    expect(redact(text)).not.toContain(sid.slice(0, 9));
    expect(redact(text)).not.toContain(sid.slice(-9));
  }
});

/** SHA-256 in base64url, as some identity providers and catalogues make ids. It has not the bits of a session's id. */
const hash = 'RBNvo1WzZ4oRRq0W9-hknpT7T8If536DEMBg9hyq_4o';

test('the id of a session without its URL is hidden in a text, next to other characters and percent-encoded ones', () => {
  for (let n = 0; n < 100; n++) {
    const sid = formatSid(randomUUID(), randomBytes(16));
    for (const [before, after] of [
      ['', ''],
      ['session ', ', please'],
      ['sid=', '.m3u8'],
      ['%20', '%20'],
      ['%2F', '%2f'],
      ['"', '"'],
    ]) {
      const text = before + sid + after;
      expect(redact(text)).not.toContain(sid.slice(0, 9));
      expect(redactName(text)).not.toContain(sid.slice(0, 9));
    }
    expect(holdsSession(sid)).toBe(true);
  }
  // It contains the beginning of a token's header, `eyJ`.
  expect(redact('e4wSAm6MTleyJhbGciOiJAAQECAwQFBgcICQoLDA0ODxA.m3u8')).toBe('***');
  expect(redact(hash)).toBe('***');
});

test('a hash as long as the id of a session is shown as an id and as a name', () => {
  expect(redactId(hash)).toBe(hash);
  expect(redactName(hash)).toBe(hash);
  expect(holdsSession(hash)).toBe(false);
  expect(holdsCredential(hash)).toBe(false);
});

test.each([['x'.repeat(42)], ['x'.repeat(44)], ['0190a6c0-1d5e-7cc3-98c4-dc0c0c07398f'], [digits]])(
  '%s is not as long as the id of a session, and is shown in a text',
  (text) => {
    expect(redact(text)).toBe(text);
  },
);

test.each([
  `lk_${digits}`,
  `Bearer lk_${digits}`,
  `lk%5F${digits}`,
  `%256ck_${digits}`,
  token,
  `Bearer ${token}`,
  token.replaceAll('.', '%2E'),
  `${Buffer.from('{"alg":"none"}').toString('base64url')}.eyJzdWIiOiJhIn0.`,
])('%s is a credential, and is refused as an id', (text) => expect(holdsCredential(text)).toBe(true));

test.each([
  'ada.lovelace@example.com',
  'auth0|507f1f77bcf86cd799439011',
  'lk_0123abcd',
  'a-rather-long-name.of-a-host.example-organisation',
  'eyJust.a.name',
  'eyJhbGciOiJIUzI1NiJ9',
  'system:serviceaccount:default:player',
  'https://issuer.example/users/7?x=100%25',
])('%s is an id, and is accepted', (text) => expect(holdsCredential(text)).toBe(false));
