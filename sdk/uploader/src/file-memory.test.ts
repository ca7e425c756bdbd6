import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFileMemory } from './node.ts';

function makePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-uploader-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'memory.jsonl');
}

const first = { size: 1, fingerprint: 'a', etag: '"1"' };
const second = { size: 2, fingerprint: 'b' };

it('a record is on disk as soon as it is set, and another process reads the newest of each place', async () => {
  const path = makePath();
  const memory = createFileMemory(path);
  await memory.set('place', first);
  expect(await createFileMemory(path).get('place')).toEqual(first);
  await memory.set('place', second);
  expect(await memory.get('place')).toEqual(second);
  expect(await createFileMemory(path).get('place')).toEqual(second);
  expect(await memory.get('other')).toBeUndefined();
});

it('a line that was cut short loses only its own record', async () => {
  const path = makePath();
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
  const path = makePath();
  writeFileSync(path, '{"encrypted":"x"}\nnot JSON');
  await createFileMemory(path).set('one', first);
  expect(readFileSync(path, 'utf8')).toMatch(/^\{"encrypted":"x"\}\nnot JSON\n\{"place":"one"/);
});
