import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { packagerPath } from '../testing/packager-path.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { findPackager } from './find-packager.ts';

test('Shaka Packager is the given program, else the one in PATH, else the one in node_modules of a folder above', () => {
  const folder = writeFiles(temporaryFolder(), { 'project/a/b/file': '', 'none/packager/file': '' });
  const installed = join(folder, 'project/node_modules/shaka-packager/bin', basename(packagerPath));
  const onPath = join(folder, 'bin/packager');
  for (const path of [installed, onPath]) {
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(packagerPath, path);
  }
  const cwd = join(folder, 'project/a/b');
  // A folder of that name is not a program.
  const PATH = `${join(folder, 'none')}:${join(folder, 'bin')}`;
  expect(findPackager(undefined, { PATH }, cwd)).toBe(onPath);
  expect(findPackager(undefined, {}, cwd)).toBe(installed);
  expect(findPackager('../../../bin/packager', {}, cwd)).toBe(onPath);
  expect(() => findPackager(undefined, { PATH: '' }, join(folder, 'none'))).toThrow(
    'npm install shaka-packager',
  );
});
