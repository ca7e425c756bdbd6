import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { resolveReference } from './resolve-reference.ts';

const place = { playlist: 'a.m3u8', line: 3 };

describe('a reference of a playlist', () => {
  it.each([
    ['a.ts', 'v/a.ts'],
    ['./sub/../a.ts', 'v/a.ts'],
    ['../audio/b.aac', 'audio/b.aac'],
    ['a.ts?token=1#t=2', 'v/a.ts'],
    ['with%20space.ts', 'v/with space.ts'],
    ['100%.ts', 'v/100%.ts'],
    ['kept.ts?x=1', 'v/kept.ts?x=1'],
  ])('the reference %s is the file %s', async (uri, path) => {
    const files = ['v/a.ts', 'audio/b.aac', 'v/with space.ts', 'v/100%.ts', 'v/kept.ts?x=1', 'v/sub/c.ts'];
    const folder = writeFiles(temporaryFolder(), Object.fromEntries(files.map((name) => [name, ''])));
    expect(await resolveReference(uri, join(folder, 'v/a.m3u8'), folder, place)).toBe(join(folder, path));
  });

  it.each(['http://example.com/a.ts', 'https://example.com/a.ts', 'file:///etc/hosts', '//example.com/a.ts'])(
    'a reference to %s is refused',
    async (uri) => {
      const attempt = resolveReference(uri, '/x/a.m3u8', '/x', place);
      await expect(attempt).rejects.toThrow(/^a\.m3u8:3: .*not a file of the presentation/);
    },
  );

  it.each(['../secret', '..%2Fsecret', 'v/../../secret', '%2Fetc%2Fhosts', 'link'])(
    'the reference %s out of the source folder is refused',
    async (uri) => {
      const folder = writeFiles(temporaryFolder(), { secret: 'private' });
      const inner = join(folder, 'presentation');
      mkdirSync(join(inner, 'v'), { recursive: true });
      symlinkSync('../secret', join(inner, 'link'));
      const attempt = resolveReference(uri, join(inner, 'a.m3u8'), inner, place);
      await expect(attempt).rejects.toThrow('--source-root');
    },
  );

  it('a reference to an absolute path is refused', async () => {
    const attempt = resolveReference('/etc/hosts', '/x/a.m3u8', '/x', place);
    await expect(attempt).rejects.toThrow('absolute path');
  });
});
