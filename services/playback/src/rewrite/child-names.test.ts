import { expect, it } from 'vitest';
import { findChild } from './child-names.ts';
import { rewriteAtOnce } from './rewrite.fixture.ts';

const url = new URL('https://cdn.example/film/index.m3u8');
/** The playlists of a list of variants: attributes and a URI each. */
const ladder = (...variants: string[]) =>
  rewriteAtOnce(
    {
      text: ['#EXTM3U', ...variants.map((line) => `#EXT-X-STREAM-INF:${line}`)].join('\n'),
      url,
      parent: null,
    },
    { mayFetch: () => true, toOwnKey: () => null },
  ).children;
const low = 'BANDWIDTH=1,RESOLUTION=640x360\nv.m3u8?q=low';
const high = 'BANDWIDTH=2,RESOLUTION=1280x720\nv.m3u8?q=high';
const nameOf = (children: ReadonlyMap<string, URL>, query: string) =>
  [...children].find(([, url]) => url.search.startsWith(query))?.[0] ?? '';

it.each([
  ['others come before it', [high, low]],
  ['others leave', [high]],
  ['others come, and its source signs anew', [low, low.replace('640x360', '320x180'), `${high}&sig=b`]],
])('a variant that differs from others in its query alone is found by its name after %s', (_, after) => {
  const name = nameOf(ladder(low, high), '?q=high');
  expect(findChild(ladder(...after), name)?.searchParams.get('q')).toBe('high');
});

it('a variant whose attributes have changed is found by its number, and a name that is not alike is not found', () => {
  const before = ladder(low, high);
  const measured = ladder(low.replace('=1,', '=11,'), high.replace('=2,', '=22,'));
  for (const query of ['?q=low', '?q=high'])
    expect(findChild(measured, nameOf(before, query))?.search).toBe(query);
  const elsewhere = ladder(low.replace('v.m3u8', 'other.m3u8'));
  expect(findChild(elsewhere, nameOf(before, '?q=low'))).toBeUndefined();
  expect(findChild(before, 'x')).toBeUndefined();
});

it('a variant with a stable id is found by it, whatever its other attributes are', () => {
  const stable = (line: string, id: string) =>
    line.replace('BANDWIDTH', `STABLE-VARIANT-ID="${id}",BANDWIDTH`);
  const name = nameOf(ladder(stable(low, 'a'), stable(high, 'b')), '?q=high');
  const after = ladder(stable(high.replace('=2,', '=3,'), 'b'), stable(low, 'a'));
  expect(findChild(after, name)?.search).toBe('?q=high');
});
