import { expect, it } from 'vitest';
import { fingerprintOf } from './prepare-files.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

it('the fingerprint of a File is the time of its last change', async () => {
  const data = new File(['a'], 'a.ts', { lastModified: 17 });
  expect(await fingerprintOf({ path: 'a.ts', data })).toBe('modified 17');
});

it('the fingerprint of a Blob or an array is a hash of its bytes, of any size', async () => {
  const large = new Uint8Array(9 * 1024 * 1024);
  const changed = large.slice();
  changed[6 * 1024 * 1024] = 1;
  const all = [bytes('a'), bytes('b'), bytes(''), large, changed];
  const found = await Promise.all(all.map((data) => fingerprintOf({ path: 'a', data })));
  expect(new Set(found).size).toBe(all.length);
  expect(await fingerprintOf({ path: 'b', data: new Blob([bytes('a')]) })).toBe(found[0]);
});

it('a function as data has only the fingerprint that the caller gives', async () => {
  const data = () => new Blob(['a']);
  expect(await fingerprintOf({ path: 'a', data })).toBeUndefined();
  expect(await fingerprintOf({ path: 'a', data, fingerprint: 'v1' })).toBe('v1');
});
