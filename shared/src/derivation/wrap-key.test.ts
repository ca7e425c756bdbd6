import { expect, test } from 'vitest';
import { createMasterKey } from './derivation.ts';
import { deriveWrappingKey, unwrap, unwrapContentKey, wrap, wrapContentKey } from './wrap-key.ts';

const wrappingKeyOf = (fill: number) =>
  deriveWrappingKey(createMasterKey(1, Buffer.alloc(32, fill), Buffer.alloc(32, 9)));
const contentKey = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

test('the key wrap gives the vector of RFC 3394 section 4.3, and opens it', () => {
  const wrappingKey = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f', 'hex');
  const wrapped = wrap(wrappingKey, contentKey);
  expect(wrapped.toString('hex')).toBe('64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7');
  expect(unwrap(wrappingKey, wrapped)).toEqual(contentKey);
});

test('a wrapped key opens under its master key alone, and not once any bit of it has changed', async () => {
  const [first, second] = [await wrappingKeyOf(1), await wrappingKeyOf(2)];
  const wrapped = wrapContentKey(first, contentKey);
  expect(wrapped).toMatch(/^[0-9a-f]{48}$/);
  expect(unwrapContentKey(first, wrapped)).toEqual(contentKey);
  expect(unwrapContentKey(second, wrapped)).toBeNull();
  const bytes = Buffer.from(wrapped, 'hex');
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    expect(unwrapContentKey(first, changed.toString('hex'))).toBeNull();
  }
});

test('the wrapping key is HKDF of the master key with the info /wrap', async () => {
  // RFC 5869 by OpenSSL: openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt hexkey:01… -kdfopt hexsalt:09… -kdfopt info:/wrap HKDF
  expect((await wrappingKeyOf(1)).toString('hex')).toBe(
    '52ffb54272bdf3be920d1ab5d72ab432d8b2f65b5351605f979744e7e4ff3610',
  );
});
