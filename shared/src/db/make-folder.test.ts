import { spawnSync } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { makeTestFolder } from '../testing/test-folder.ts';
import { makeFolder } from './make-folder.ts';

/** A call that tries forever never returns to its thread: only another process can end it. */
const limitMs = 60_000;
vi.setConfig({ testTimeout: 90_000 });

it('every missing folder of a path is made, and an existing one is left unchanged', () => {
  const path = join(makeTestFolder(), 'a', 'b', 'c');
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
});

it("the error names the part of a folder's path that is a file", () => {
  const file = join(makeTestFolder(), 'file');
  writeFileSync(file, '');
  for (const path of [file, join(file, 'a', 'b')]) {
    expect(() => makeFolder(path)).toThrow(
      expect.objectContaining({ code: 'EEXIST', syscall: 'mkdir', path: file }),
    );
  }
});

it.skipIf(!existsSync('/proc/self'))('a database whose folder can never be made is refused at once', () => {
  const script = `
    import { openSqlite } from ${JSON.stringify(join(import.meta.dirname, 'sqlite.ts'))};
    try { openSqlite('/proc/x/y/new.db'); } catch ({ code, syscall, path }) { console.log(code, syscall, path); }`;
  const options = { encoding: 'utf8', timeout: limitMs } as const;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], options);
  expect(stdout).toBe('ENOENT mkdir /proc/x\n');
});
