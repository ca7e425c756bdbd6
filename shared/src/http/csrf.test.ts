import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foreignPageReason, isOwnName } from './csrf.ts';

const publicUrl = 'https://keys.example.com/base';

test.each<[string, Record<string, string>, string | null]>([
  ['a call by no browser', { host: 'evil.example' }, null],
  ['an address that the user typed in', { host: 'evil.example', 'sec-fetch-site': 'none' }, null],
  ['a page of another site', { host: 'localhost', 'sec-fetch-site': 'cross-site' }, 'site'],
  ['a page of another port', { host: 'localhost:1', 'sec-fetch-site': 'same-site' }, 'site'],
  ['two values of Sec-Fetch-Site', { host: 'localhost', 'sec-fetch-site': 'none, cross-site' }, 'site'],
  ['another scheme, other port', { host: '127.0.0.1:4100', origin: 'https://127.0.0.1' }, 'origin'],
  ['the default port, written', { host: '127.0.0.1:80', origin: 'http://127.0.0.1' }, null],
  ['a host in capitals', { host: 'LocalHost:4100', origin: 'http://localhost:4100' }, null],
  ['no host', { origin: 'http://localhost' }, 'origin'],
  ['a host with a user', { host: 'a@localhost', origin: 'http://localhost' }, 'origin'],
  ['a host with a path', { host: 'localhost/x', origin: 'http://localhost' }, 'origin'],
  [
    'a name over TLS',
    { host: 'any.example', origin: 'https://any.example', 'sec-fetch-site': 'same-origin' },
    null,
  ],
  [
    'a name over TLS that ends at a proxy',
    { host: 'any.example', origin: 'https://any.example', 'x-forwarded-proto': 'https, http' },
    null,
  ],
  [
    'a page over TLS that calls in the clear',
    { host: 'any.example', origin: 'https://any.example' },
    'clear',
  ],
  [
    'a page over TLS that calls in the clear, through a proxy',
    { host: 'any.example', origin: 'https://any.example', 'x-forwarded-proto': 'http' },
    'clear',
  ],
  ['a name over plain HTTP', { host: 'any.example', origin: 'http://any.example' }, 'name'],
  ['the page of PUBLIC_URL', { host: 'inner', origin: 'https://keys.example.com' }, null],
  [
    'the plain page of the name of PUBLIC_URL',
    { host: 'keys.example.com', origin: 'http://keys.example.com' },
    null,
  ],
])('%s is judged by where its page came from', (_what, headers, reason) => {
  expect(foreignPageReason(headers, publicUrl)).toBe(reason);
});

test('only an origin from Host or PUBLIC_URL counts as the own one', () => {
  // The URLs of fast-check take a second to make.
  const url = fc
    .tuple(
      fc.constantFrom('http', 'https', 'ftp'),
      fc.stringMatching(/^[a-z]{1,8}(\.[a-z]{2,3})?(:\d{1,4})?$/),
    )
    .map(([scheme, host]) => `${scheme}://${host}/a?b#c`);
  fc.assert(
    fc.property(fc.string(), url, fc.string(), (host, origin, noise) => {
      for (const page of [origin, new URL(origin).origin, noise]) {
        const reason = foreignPageReason({ host, origin: page }, null);
        const own = [`http://${host}`, `https://${host}`].some(
          (url) => URL.canParse(url) && new URL(url).origin === page.toLowerCase(),
        );
        if (!own) expect(reason).not.toBeNull();
      }
    }),
  );
});

test.each([
  ['127.0.0.1:4100', true],
  ['[::1]:4100', true],
  ['localhost', true],
  ['keys.example.com:99', true],
  ['keys.example.com.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['', false],
])('that a name can lead nowhere else is known of %j: %s', (host, own) => {
  expect(isOwnName(host, publicUrl)).toBe(own);
  expect(isOwnName(undefined, publicUrl)).toBe(false);
});
