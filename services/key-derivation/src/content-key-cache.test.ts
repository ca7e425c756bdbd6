import { createMasterKey, deriveContentKey } from '@latchkey/shared/derivation';
import { expect, test } from 'vitest';
import { createContentKeyCache } from './content-key-cache.ts';

const masterKeys = [1, 2].map((version) =>
  createMasterKey(version, Buffer.alloc(32, version), Buffer.alloc(32, 9)),
);
const names: [contentId: string, epoch: number | undefined][] = [
  ['film', undefined],
  ['film', 0],
  ['film', 1],
  ['film-1', undefined],
  ['film', 4294967295],
];

test('a cached content key is the derived one, for each version, content and epoch, also after others have pushed it out', () => {
  const cache = createContentKeyCache(3);
  for (const _ of [1, 2, 3])
    for (const masterKey of masterKeys)
      for (const [contentId, epoch] of names)
        expect(cache.derive(masterKey, contentId, epoch)).toEqual(
          deriveContentKey(masterKey, contentId, epoch),
        );
});

test('a content key is derived once while it is kept, and the number of kept keys has a limit', () => {
  const [masterKey = createMasterKey(1, Buffer.alloc(32), Buffer.alloc(32))] = masterKeys;
  const cache = createContentKeyCache(2);
  const first = cache.derive(masterKey, 'film', 0);
  expect(cache.derive(masterKey, 'film', 0)).toBe(first);
  cache.derive(masterKey, 'film', 1);
  cache.derive(masterKey, 'film', 2);
  expect(cache.derive(masterKey, 'film', 0)).not.toBe(first);
});
