import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFileMemory, openFolder } from './node.ts';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-uploader-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('openFolder returns the files of a folder by their paths, without hidden files and without symbolic links', async () => {
  const folder = makeFolder();
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

const first = { size: 1, fingerprint: 'a', etag: '"1"' };
const second = { size: 2, fingerprint: 'b' };

it('a record is on disk as soon as it is set, and another process reads the newest of each place', async () => {
  const path = join(makeFolder(), 'memory.jsonl');
  const memory = createFileMemory(path);
  await memory.set('place', first);
  expect(await createFileMemory(path).get('place')).toEqual(first);
  await memory.set('place', second);
  expect(await memory.get('place')).toEqual(second);
  expect(await createFileMemory(path).get('place')).toEqual(second);
  expect(await memory.get('other')).toBeUndefined();
});

it('a line that was cut short loses only its own record', async () => {
  const path = join(makeFolder(), 'memory.jsonl');
  await createFileMemory(path).set('one', first);
  appendFileSync(path, '\n{"place":"two","si');
  await createFileMemory(path).set('three', second);
  const found = createFileMemory(path);
  expect([await found.get('one'), await found.get('two'), await found.get('three')]).toEqual([
    first,
    undefined,
    second,
  ]);
});

it('createFileMemory keeps other lines of its file', async () => {
  const path = join(makeFolder(), 'memory.jsonl');
  writeFileSync(path, '{"encrypted":"x"}\nnot JSON');
  await createFileMemory(path).set('one', first);
  expect(readFileSync(path, 'utf8')).toMatch(/^\{"encrypted":"x"\}\nnot JSON\n\{"place":"one"/);
});
