import { createMasterKey, deriveContentKey, wrapContentKey } from '@latchkey/shared/derivation';
import { expect, test } from 'vitest';
import { createContentKeyCache } from './content-key-cache.ts';

const masterKeys = [1, 2].map((version) =>
  createMasterKey(version, Buffer.alloc(32, version), Buffer.alloc(32, 9)),
);
const kid = '98ee5596-cd3e-a20d-163a-e382420c6eff';
const names: [contentId: string, epoch: number | undefined, kid?: string][] = [
  ['film', undefined],
  ['film', 0],
  ['film', 1],
  ['film-1', undefined],
  ['film', 4294967295],
  ['film', undefined, kid],
  ['film-1', undefined, kid],
];

test('a cached content key is the derived one, for each version, content and epoch, also after others have pushed it out', () => {
  const cache = createContentKeyCache(3);
  for (const _ of [1, 2, 3])
    for (const masterKey of masterKeys)
      for (const [contentId, epoch, kid] of names)
        expect(cache.find(masterKey, { contentId, epoch, ...(kid ? { kid } : {}) }, null)).toEqual(
          deriveContentKey(masterKey, contentId, epoch, kid),
        );
});

test('a content key is derived once while it is kept, and the number of kept keys has a limit', () => {
  const [masterKey = createMasterKey(1, Buffer.alloc(32), Buffer.alloc(32))] = masterKeys;
  const cache = createContentKeyCache(2);
  const derive = (epoch: number) => cache.find(masterKey, { contentId: 'film', epoch }, null);
  const first = derive(0);
  expect(derive(0)).toBe(first);
  derive(1);
  derive(2);
  expect(derive(0)).not.toBe(first);
});

test('an imported key takes the place of the derived one, and one of another master key gives no key at all', () => {
  const [first, second] = masterKeys;
  if (!first || !second) throw new Error('two master keys');
  const cache = createContentKeyCache();
  const film = { contentId: 'film', epoch: 0 };
  const imported = Buffer.alloc(16, 7);
  const wrapped = wrapContentKey(first, imported);
  expect(cache.find(first, film, null)).toEqual(deriveContentKey(first, 'film', 0));
  expect(cache.find(first, film, wrapped)).toEqual(imported);
  expect(cache.find(second, film, wrapped)).toBeNull();
  expect(cache.find(first, film, null)).toEqual(deriveContentKey(first, 'film', 0));
  // Not even a content whose id is the wrapped form.
  expect(cache.find(first, { contentId: wrapped, epoch: undefined }, null)).toEqual(
    deriveContentKey(first, wrapped),
  );
});
