import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openFolder } from './node.ts';

it('openFolder returns the files of a folder by their paths, without hidden files and without symbolic links', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-uploader-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, '720p/.cache'), { recursive: true });
  for (const path of ['master.m3u8', '720p/00001.ts', '720p/.DS_Store', '720p/.cache/x.ts']) {
    writeFileSync(join(folder, path), path);
  }
  symlinkSync('/etc/hostname', join(folder, 'link.ts'));

  const files = await openFolder(folder);
  expect(files.map(({ path, size }) => [path, size])).toEqual([
    ['720p/00001.ts', 13],
    ['master.m3u8', 11],
  ]);
  const [segment] = files;
  expect(segment?.fingerprint).toMatch(/^modified \d/);
  const body = typeof segment?.data === 'function' ? await segment.data() : undefined;
  expect(await new Response(body as Blob).text()).toBe('720p/00001.ts');
});
