import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryFolder } from '../repository.ts';

/** Makes a folder one that npm and npx treat as a clone. Everything else in it comes from the commands of a document. */
export function makeClone(folder: string): void {
  copyFileSync(join(repositoryFolder, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(repositoryFolder, 'tools'), join(folder, 'tools'));
  mkdirSync(join(folder, 'node_modules'));
}

/**
 * Runs a block of shell to its end, each command of it.
 *
 * @param uid of the user that runs it; by default this process's own
 * @returns what it wrote to standard output
 * @throws Error if a command fails, with what it wrote to standard error
 */
export async function runBlock(
  text: string,
  { cwd, env, uid }: { cwd: string; env: NodeJS.ProcessEnv; uid?: number | undefined },
): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', text], {
    cwd,
    env,
    ...(uid === undefined ? {} : { uid, gid: uid }),
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}
