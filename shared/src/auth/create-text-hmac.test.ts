import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextHmac } from './create-text-hmac.ts';

const latin1 = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes).toString('latin1'));
const expected = (key: Uint8Array, text: string) =>
  createHmac('sha256', key).update(text, 'latin1').digest('base64url');

test('equals the HMAC of node:crypto for any key and any text in Latin-1, one after the other', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(latin1(300), { maxLength: 5 }), (key, texts) => {
      const hmac = createTextHmac(key);
      expect(texts.map(hmac)).toEqual(texts.map((text) => expected(key, text)));
    }),
  );
});

test.each([0, 1, 4_095, 4_096, 4_097, 16_384])(
  'equals it for a text of %i characters, and for a short one after it',
  (length) => {
    const key = Buffer.from('a secret of the test, as long as SHA-256 wants');
    const hmac = createTextHmac(key);
    expect(hmac('x'.repeat(length))).toBe(expected(key, 'x'.repeat(length)));
    expect(hmac('short')).toBe(expected(key, 'short'));
  },
);
