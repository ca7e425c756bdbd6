import { createHmac } from 'node:crypto';
import {
  createMasterKey,
  deriveContentKey,
  deriveWrappingKey,
  wrapContentKey,
} from '@latchkey/shared/derivation';
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
  const cache = createContentKeyCache({ keptMost: 3 });
  for (const _ of [1, 2, 3])
    for (const masterKey of masterKeys)
      for (const [contentId, epoch, kid] of names)
        expect(cache.find(masterKey, { contentId, epoch, ...(kid ? { kid } : {}) }, null)).toEqual(
          deriveContentKey(masterKey, contentId, epoch, kid),
        );
});

test('a content key is derived once while it is kept, and the number of kept keys has a limit', () => {
  const [masterKey = createMasterKey(1, Buffer.alloc(32), Buffer.alloc(32))] = masterKeys;
  const cache = createContentKeyCache({ keptMost: 2 });
  const derive = (epoch: number) => cache.find(masterKey, { contentId: 'film', epoch }, null);
  const first = derive(0);
  expect(derive(0)).toBe(first);
  derive(1);
  derive(2);
  expect(derive(0)).not.toBe(first);
});

test('an imported key takes the place of the derived one, and one of another master key gives no key at all', async () => {
  const [first, second] = masterKeys;
  if (!first || !second) throw new Error('two master keys');
  const cache = createContentKeyCache();
  const film = { contentId: 'film', epoch: 0 };
  const imported = Buffer.alloc(16, 7);
  const wrapped = wrapContentKey(await deriveWrappingKey(first), imported);
  expect(cache.find(first, film, null)).toEqual(deriveContentKey(first, 'film', 0));
  expect(cache.find(first, film, wrapped)).toBeNull();
  expect(await cache.load(first, film, wrapped)).toEqual(imported);
  expect(cache.find(first, film, wrapped)).toEqual(imported);
  expect(await cache.load(second, film, wrapped)).toBeNull();
  expect(cache.find(second, film, wrapped)).toBeNull();
  expect(cache.find(first, film, null)).toEqual(deriveContentKey(first, 'film', 0));
  // Not even a content whose id is the wrapped form.
  expect(cache.find(first, { contentId: wrapped, epoch: undefined }, null)).toEqual(
    deriveContentKey(first, wrapped),
  );
});

test('many requests for one key of a custodian are one call, and a call that failed is made again', async () => {
  const [own] = masterKeys;
  if (!own) throw new Error('a master key');
  const messages: string[] = [];
  let isAway = true;
  const custodied = {
    version: 1,
    async mac(message: Uint8Array) {
      messages.push(Buffer.from(message).toString('latin1'));
      await Promise.resolve();
      if (isAway) throw new Error('away');
      return createHmac('sha256', own.pseudoRandomKey).update(message).digest();
    },
  };
  const cache = createContentKeyCache();
  const film = { contentId: 'film', epoch: 3 };
  const askOften = () =>
    Promise.allSettled(Array.from({ length: 50 }, () => cache.load(custodied, film, null)));
  expect(cache.find(custodied, film, null)).toBeNull();
  expect((await askOften()).every(({ status }) => status === 'rejected')).toBe(true);
  isAway = false;
  const expected = deriveContentKey(own, 'film', 3);
  expect(await askOften()).toEqual(Array(50).fill({ status: 'fulfilled', value: expected }));
  expect(cache.find(custodied, film, null)).toEqual(expected);
  expect(messages).toEqual(['film/3\x01', 'film/3\x01']);

  // An imported key takes the wrapping key once, and no call for each key.
  const wrappingKey = await deriveWrappingKey(own);
  const imported = [1, 2, 3].map((fill) => Buffer.alloc(16, fill));
  for (const key of imported)
    expect(await cache.load(custodied, film, wrapContentKey(wrappingKey, key))).toEqual(key);
  expect(messages.slice(2)).toEqual(['/wrap\x01']);
});
