import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatSid, hashSecret, isSecretOf, parseSid } from './session-id.ts';

const sixteen = fc.uint8Array({ minLength: 16, maxLength: 16 });

it('the id of a session is 43 characters and is read back as the lease and the hash of the secret', () => {
  fc.assert(
    fc.property(fc.uuid(), sixteen, (leaseId, secret) => {
      const sid = formatSid(leaseId, secret);
      expect(sid).toMatch(/^[\w-]{43}$/);
      expect(parseSid(sid)).toEqual({ leaseId, secretHash: hashSecret(secret) });
    }),
  );
});

it('each session has one spelling: no other text is read as the same session', () => {
  const sid = formatSid('5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11', new Uint8Array(16));
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const spellings = [...letters].map((letter) => parseSid(sid.slice(0, -1) + letter)).filter(Boolean);
  // The last character carries four bits: 16 secrets, each in one spelling.
  expect(spellings).toHaveLength(16);
  expect(new Set(spellings.map((read) => read?.secretHash)).size).toBe(16);
});

it.each([
  '',
  'x',
  'a'.repeat(42),
  'a'.repeat(44),
  `${'a'.repeat(42)}=`,
  `${'a'.repeat(42)}+`,
  'é'.repeat(43),
])('the text %j cannot be a session', (text) => {
  expect(parseSid(text)).toBe(null);
});

it('a secret fits its own session alone, and never a lease that is not a session', () => {
  const [own, other] = [1, 2].map((n) =>
    parseSid(formatSid('5f1b8c1e-7e0a-4d55-9a43-0d6f3f6f0c11', new Uint8Array(16).fill(n))),
  );
  if (!own || !other) throw new Error('not read');
  expect(isSecretOf(own, own.secretHash)).toBe(true);
  expect(isSecretOf(other, own.secretHash)).toBe(false);
  expect(isSecretOf(own, null)).toBe(false);
  expect(isSecretOf(own, '')).toBe(false);
});
