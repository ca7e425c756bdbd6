import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyIdOf, readKeyId, writeUuid } from './key-id.ts';

const contentIds = fc.stringMatching(/^[A-Za-z0-9_-]{1,256}$/);
const epochs = fc.option(fc.integer({ min: 0, max: 4_294_967_295 }), { nil: undefined });

test('a key id gives back its epoch, and only with the id of its content', () => {
  fc.assert(
    fc.property(contentIds, contentIds, epochs, (contentId, other, epoch) => {
      const keyId = keyIdOf(contentId, epoch);
      expect(readKeyId(contentId, keyId)).toEqual({ epoch });
      if (other !== contentId) expect(readKeyId(other, keyId)).toBeNull();
    }),
  );
});

// SHA-256 by coreutils: printf 'latchkey kid my-video-001' | sha256sum
test('a key id is a UUID of version 8 with the beginning of a hash, and the same everywhere', () => {
  expect(writeUuid(keyIdOf('my-video-001', undefined))).toBe('41371a82-5bb6-8dac-8953-a40000000000');
  expect(writeUuid(keyIdOf('my-video-001', 258))).toBe('41371a82-5bb6-8dac-8953-a40100000102');
});

test('a key id with any bit changed, and any other one, is read only if it is the key id of another epoch', () => {
  for (const epoch of [undefined, 7]) {
    const keyId = keyIdOf('film', epoch);
    for (let bit = 0; bit < 128; bit++) {
      const changed = Buffer.from(keyId);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const read = readKeyId('film', changed);
      if (read) expect([bit >= 88, keyIdOf('film', read.epoch)]).toEqual([true, changed]);
    }
  }
  for (let count = 0; count < 1_000; count++) expect(readKeyId('film', randomBytes(16))).toBeNull();
  for (const length of [0, 15, 17]) expect(readKeyId('film', Buffer.alloc(length))).toBeNull();
});
