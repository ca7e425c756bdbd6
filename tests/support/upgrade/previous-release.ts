import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../repository.ts';
import { runCommand } from '../run-command.ts';

/** The release that operators upgrade from. Change it when a version is released. */
export const previousRelease = {
  version: '0.2.0',
  commit: '731970b1726cf357b83fcfb5fb68f67b4389d765',
} as const;

/**
 * Takes the code of the previous release from the history and installs its packages.
 *
 * @param folder is made
 * @param history a repository
 * @returns null, or why that release is not available here
 * @throws Error if the packages could not be installed
 */
export async function unpackPreviousRelease(
  folder: string,
  history = repositoryFolder,
): Promise<string | null> {
  const { version, commit } = previousRelease;
  const git = (...args: string[]) => spawnSync('git', ['-C', history, ...args], { maxBuffer: 2 ** 30 });
  if (git('rev-parse', '--git-dir').status !== 0) return 'this folder has no history (.git)';
  if (git('cat-file', '-e', `${commit}^{commit}`).status !== 0) {
    return `the history here does not reach back to ${version} (${commit.slice(0, 7)}); git fetch --unshallow`;
  }
  mkdirSync(folder, { recursive: true });
  const archive = git('archive', commit);
  const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0) return `${version} could not be unpacked`;
  // Its tests also need the built dashboard.
  const scripts = ['ensure-installed', 'ensure-dashboard'].map((name) =>
    join(folder, 'scripts', `${name}.mjs`),
  );
  const [installed, dashboard] = scripts.map((path) => `await import(${JSON.stringify(path)})`);
  const prepare = `(${installed}).ensureInstalled(); (${dashboard}).ensureDashboard();`;
  if ((await runCommand(process.execPath, ['--input-type=module', '--eval', prepare])) !== 0) {
    throw new Error(`the packages of ${version} could not be installed`);
  }
  return null;
}
