import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { packagerPath } from '../testing/packager-path.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';
import { findPackager } from './find-packager.ts';

test('Shaka Packager is the given one, else that of PATH, else that of node_modules in a folder above', async () => {
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
  expect(await findPackager(undefined, { PATH }, cwd)).toBe(onPath);
  expect(await findPackager(undefined, {}, cwd)).toBe(installed);
  expect(await findPackager('../../../bin/packager', {}, cwd)).toBe(onPath);
  const none = findPackager(undefined, { PATH: '' }, join(folder, 'none'));
  await expect(none).rejects.toThrow('npm install shaka-packager');
});
