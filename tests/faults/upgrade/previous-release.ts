import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';
import { runCommand } from '@latchkey/support/run-command';

/** The code of one release, with its packages. */
export interface Release {
  /** Its tag, such as `v0.1.0`, or its commit. */
  version: string;
  /** The root of its repository. */
  folder: string;
}

const git = (...args: string[]) =>
  spawnSync('git', ['-C', repositoryFolder, ...args], { maxBuffer: 2 ** 30 });

/**
 * Many CI systems clone without tags, so the commit that makes a release is found by its subject, too.
 *
 * @returns the tag of the latest release before this code, else its commit (`docs/operate/release.md`); undefined if the history has neither
 */
export function findPreviousRelease(): string | undefined {
  const read = (...args: string[]) =>
    git(...args)
      .stdout.toString()
      .trim() || undefined;
  return (
    read('describe', '--tags', '--match', 'v[0-9]*', '--abbrev=0') ??
    read(
      'log',
      '--max-count=1',
      '--format=%h',
      '--extended-regexp',
      '--grep=^Release [0-9]+\\.[0-9]+\\.[0-9]+$',
    )
  );
}

/**
 * Takes the code of a release from the history and installs its packages.
 *
 * @param folder is made
 * @throws Error if that fails
 */
export async function unpackRelease(version: string, folder: string): Promise<Release> {
  mkdirSync(folder, { recursive: true });
  const archive = git('archive', version);
  const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0) throw new Error(`${version} could not be unpacked`);
  const installer = JSON.stringify(join(folder, 'tools', 'ensure-installed.mjs'));
  const install = `(await import(${installer})).ensureInstalled('programs')`;
  if ((await runCommand(process.execPath, ['--input-type=module', '--eval', install])) !== 0)
    throw new Error(`the packages of ${version} could not be installed`);
  return { version, folder };
}
