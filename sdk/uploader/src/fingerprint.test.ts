import { expect, it } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';

const octets = (text: string) => new TextEncoder().encode(text);

it('a File is known by the time of its last change', async () => {
  const data = new File(['a'], 'a.ts', { lastModified: 17 });
  expect(await fingerprintOf({ path: 'a.ts', data })).toBe('modified 17');
});

it('a Blob and an array are known by their bytes, whatever their size', async () => {
  const large = new Uint8Array(9 * 1024 * 1024);
  const changed = large.slice();
  changed[6 * 1024 * 1024] = 1;
  const all = [octets('a'), octets('b'), octets(''), large, changed];
  const found = await Promise.all(all.map((data) => fingerprintOf({ path: 'a', data })));
  expect(new Set(found).size).toBe(all.length);
  expect(await fingerprintOf({ path: 'b', data: new Blob([octets('a')]) })).toBe(found[0]);
});

it('what a function opens is known by nothing but what the caller says', async () => {
  const data = () => new Blob(['a']);
  expect(await fingerprintOf({ path: 'a', data })).toBeUndefined();
  expect(await fingerprintOf({ path: 'a', data, fingerprint: 'v1' })).toBe('v1');
});
