import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { redact } from '../log/index.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createKeyCredentials } from './key-credential.ts';

const apiKey = 'ab'.repeat(32);
const name = { contentId: 'film', epoch: '7' };

function setUp(secret = 'a secret of several services, long enough') {
  const clock = createManualClock();
  return { clock, credentials: createKeyCredentials({ secrets: [secret], clock, randomBytes }) };
}
const refused = expect.objectContaining({ code: 'INVALID_TOKEN' });

test('a key credential opens its key for a minute, in every process with the same secret', () => {
  const { clock, credentials } = setUp();
  const other = createKeyCredentials({
    secrets: ['a secret of several services, long enough'],
    clock,
    randomBytes,
  });
  const credential = credentials.issue(name, apiKey);
  clock.advance(59_999);
  expect(other.open(name, credential)).toBe(apiKey);
  clock.advance(1);
  expect(() => other.open(name, credential)).toThrow(refused);
});

test.each([
  ['another content', { contentId: 'film2', epoch: '7' }],
  ['another epoch', { contentId: 'film', epoch: '8' }],
  ['no epoch', { contentId: 'film' }],
  ['the epoch written in another way', { contentId: 'film', epoch: '07' }],
  ['a key that a packager named', { contentId: 'film', kid: '98ee5596-cd3e-a20d-163a-e382420c6eff' }],
])('a key credential is refused for %s', (_, other) => {
  const { credentials } = setUp();
  const credential = credentials.issue(name, apiKey);
  expect(() => credentials.open(other, credential)).toThrow(refused);
});

test('a key credential with any one bit flipped is refused', () => {
  const { credentials } = setUp();
  const credential = credentials.issue(name, apiKey);
  for (let at = 0; at < credential.length; at++) {
    for (let bit = 0; bit < 7; bit++) {
      const letter = String.fromCharCode(credential.charCodeAt(at) ^ (1 << bit));
      const changed = credential.slice(0, at) + letter + credential.slice(at + 1);
      expect(() => credentials.open(name, changed), changed).toThrow(refused);
    }
  }
});

test.each([
  undefined,
  '',
  'lkc_',
  'lkc_AAAA',
  7,
  ['lkc_a', 'lkc_b'],
  `lkc_${'A'.repeat(142)}`,
  `lk_${apiKey}`,
])('the text %j is not accepted as a key credential', (text) => {
  expect(() => setUp().credentials.open(name, text)).toThrow(refused);
});

test('a key credential made under another secret is refused', () => {
  const credential = setUp('another secret of another installation').credentials.issue(name, apiKey);
  expect(() => setUp().credentials.open(name, credential)).toThrow(refused);
});

test('a key credential shows neither the API key nor itself in a log', () => {
  const credential = setUp().credentials.issue(name, apiKey);
  expect(Buffer.from(credential.slice(4), 'base64url').toString('latin1')).not.toContain(apiKey);
  expect(redact(`a text with ${credential} in it`)).toBe('a text with lkc_*** in it');
  expect(redact(`/keys/a?key_credential%3D${credential}`)).not.toContain(credential.slice(0, 20));
});

test('a credential that was made before the secret was replaced opens its key while that secret is accepted', () => {
  const clock = createManualClock();
  const started = (...secrets: [string, ...string[]]) =>
    createKeyCredentials({ secrets, clock, randomBytes });
  const made = started('one').issue(name, apiKey);
  const both = started('two', 'one');
  expect(both.open(name, made)).toBe(apiKey);
  const after = started('two');
  expect(after.open(name, both.issue(name, apiKey))).toBe(apiKey);
  expect(() => after.open(name, made)).toThrow(refused);
});
