import { accessSync, constants, statSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { Variables } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';

/** As the releases and distributions of Shaka Packager call it. */
const commandNames = ['packager', 'shaka-packager'];
/** The npm package has one program for each system (shaka-packager 3.4.2, index.js). */
const systems: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'osx', win32: 'win' };
const packagedName = `packager-${systems[platform()]}-${arch()}${platform() === 'win32' ? '.exe' : ''}`;

/**
 * The path of Shaka Packager: the given one, else the one in PATH, else the npm package's in `node_modules` of this folder or one above.
 *
 * @param given `--packager`
 * @throws AppError `VALIDATION_FAILED` that explains what to install
 */
export function findPackager(given: string | undefined, env: Variables, cwd: string): string {
  if (given !== undefined) {
    if (isProgram(resolve(cwd, given))) return resolve(cwd, given);
    throw refusal(`--packager ${given} is not a program; accepted: the path of Shaka Packager's program`);
  }
  const found = [...listOfPath(env), ...listOfPackages(cwd)].find(isProgram);
  if (found !== undefined) return found;
  throw refusal(
    '--scheme needs Shaka Packager, which is not in PATH and not in node_modules; install it with `npm install shaka-packager`, ' +
      'or give the path of its program with --packager',
  );
}

function listOfPath({ PATH = '' }: Variables): string[] {
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  return folders.flatMap((folder) => commandNames.map((name) => join(folder, name)));
}

function listOfPackages(cwd: string): string[] {
  const folders = [resolve(cwd)];
  for (let folder = dirname(resolve(cwd)); folder !== folders.at(-1); folder = dirname(folder))
    folders.push(folder);
  return folders.map((folder) => join(folder, 'node_modules/shaka-packager/bin', packagedName));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
