import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createMasterKey, deriveContentKey, deriveFingerprint, expand, extract } from './derivation.ts';

const rising = (from: number, to: number) =>
  Buffer.from(Array.from({ length: to - from + 1 }, (_, i) => from + i));
const masterKey = createMasterKey(1, rising(0x00, 0x1f), rising(0x20, 0x3f));

test('a derived key equals the test vector of the contract', () => {
  expect(deriveContentKey(masterKey, 'my-video-001').toString('hex')).toBe(
    'a4ad6589c125682427dbee83eb46259f',
  );
});

// RFC 5869 appendix A, the cases with SHA-256.
describe.each([
  {
    name: 'A.1, basic',
    key: Buffer.alloc(22, 0x0b),
    salt: rising(0x00, 0x0c),
    info: rising(0xf0, 0xf9),
    prk: '077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5',
    okm: '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865',
  },
  {
    name: 'A.2, longer inputs and output',
    key: rising(0x00, 0x4f),
    salt: rising(0x60, 0xaf),
    info: rising(0xb0, 0xff),
    prk: '06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244',
    okm:
      'b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09' +
      'da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87',
  },
  {
    name: 'A.3, without salt and info',
    key: Buffer.alloc(22, 0x0b),
    salt: Buffer.alloc(0),
    info: Buffer.alloc(0),
    prk: '19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04',
    okm: '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8',
  },
])('RFC 5869 $name', ({ key, salt, info, prk, okm }) => {
  test('HKDF extracts and expands as RFC 5869 says', () => {
    const extracted = extract(salt, key);
    expect(extracted.export().toString('hex')).toBe(prk);
    expect(expand(extracted, info, okm.length / 2).toString('hex')).toBe(okm);
  });
});

/** HKDF of another implementation: the command line of OpenSSL 3. */
function deriveWithOpenssl(key: Buffer, salt: Buffer, info: string): string {
  const option = (name: string, value: Buffer) => ['-kdfopt', `${name}:${value.toString('hex')}`];
  const options = [
    ...['kdf', '-keylen', '16', '-kdfopt', 'digest:SHA256'],
    ...option('hexkey', key),
    ...option('hexsalt', salt),
    ...option('hexinfo', Buffer.from(info)),
    'HKDF',
  ];
  try {
    return execFileSync('openssl', options, { encoding: 'utf8' }).replaceAll(':', '').trim().toLowerCase();
  } catch (cause) {
    throw new Error(
      'This test compares with the command `openssl kdf` of OpenSSL 3, which has to be there.',
      {
        cause,
      },
    );
  }
}

test('derived keys agree with OpenSSL for random keys, salts, contents and epochs', () => {
  for (let count = 0; count < 5; count++) {
    const [key, salt, id] = [
      randomBytes(32),
      randomBytes(32),
      randomBytes(1 + count * 40).toString('base64url'),
    ];
    const epoch = count % 2 === 0 ? undefined : randomBytes(4).readUInt32BE();
    const ours = deriveContentKey(createMasterKey(1, key, salt), id, epoch).toString('hex');
    expect(ours).toBe(deriveWithOpenssl(key, salt, epoch === undefined ? id : `${id}/${epoch}`));
  }
});

test('the key of a key id is the key that OpenSSL derives with info `<content>/kid/<key id>`', () => {
  const [key, salt, kid] = [randomBytes(32), randomBytes(32), '98ee5596-cd3e-a20d-163a-e382420c6eff'];
  const ours = deriveContentKey(createMasterKey(1, key, salt), 'film', undefined, kid);
  expect(ours.toString('hex')).toBe(deriveWithOpenssl(key, salt, `film/kid/${kid}`));
});

test('every content, epoch, master key and salt has a key of its own, and epoch 0 is not the same as none', () => {
  const other = createMasterKey(2, rising(0x01, 0x20), rising(0x20, 0x3f));
  const salted = createMasterKey(3, rising(0x00, 0x1f), rising(0x21, 0x40));
  const derived = [
    deriveContentKey(masterKey, 'a'),
    deriveContentKey(masterKey, 'A'),
    deriveContentKey(masterKey, 'a', 0),
    deriveContentKey(masterKey, 'a', 1),
    deriveContentKey(masterKey, 'a0'),
    deriveContentKey(masterKey, 'a', undefined, '98ee5596-cd3e-a20d-163a-e382420c6eff'),
    deriveContentKey(masterKey, 'a', undefined, '98ee5596-cd3e-a20d-163a-e382420c6efe'),
    deriveContentKey(other, 'a'),
    deriveContentKey(salted, 'a'),
  ].map((key) => key.toString('hex'));
  expect(new Set(derived).size).toBe(derived.length);
});

test('the fingerprint is the first 8 bytes of the derivation with info /fingerprint', async () => {
  const derived = deriveWithOpenssl(rising(0x00, 0x1f), rising(0x20, 0x3f), '/fingerprint');
  expect(await deriveFingerprint(masterKey)).toBe(derived.slice(0, 16));
});

test('HKDF expands to the longest output of the RFC and refuses a length outside of it', () => {
  const key = extract(Buffer.alloc(32), Buffer.alloc(32));
  expect(expand(key, 'info', 255 * 32)).toHaveLength(8_160);
  expect(
    expand(key, 'info', 33)
      .subarray(0, 32)
      .equals(expand(key, 'info', 32)),
  ).toBe(true);
  for (const length of [0, -1, 1.5, 8_161, Number.NaN])
    expect(() => expand(key, 'info', length)).toThrow(RangeError);
});

test('neither JSON nor an inspection shows a master key', () => {
  const secret = masterKey.pseudoRandomKey.export();
  const shown = JSON.stringify(masterKey) + inspect(masterKey, { depth: 9, showHidden: true });
  expect(shown).not.toContain(secret.toString('hex').slice(0, 8));
  expect(shown).not.toContain(inspect(secret).slice(8, 20));
  expect(shown).not.toContain(secret.toString('base64').slice(0, 8));
});
