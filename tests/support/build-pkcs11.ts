import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { repositoryFolder } from './repository.ts';

const nodeGyp = 'node-gyp@13.1.0';

/**
 * Builds `pkcs11js`, unless it is built.
 *
 * @returns its folder
 * @throws Error that names what is missing
 */
export function buildPkcs11(): string {
  const inService = createRequire(join(repositoryFolder, 'services/key-derivation/package.json'));
  const folder = dirname(inService.resolve('pkcs11js/package.json'));
  if (existsSync(join(folder, 'build/Release/pkcs11.node'))) return folder;
  const built = spawnSync('npx', ['--yes', nodeGyp, 'rebuild'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (!built.error && built.status === 0) return folder;
  const reason = built.error?.message ?? `node-gyp ended with ${built.signal ?? built.status}`;
  throw new Error(
    `pkcs11js could not be built: ${reason}. It needs a C++ compiler, make and Python 3: on Debian, apt-get install g++ make python3`,
  );
}
