import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const systems: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'osx' };

/** Shaka Packager of the npm package, which tests encrypt with. */
export const packagerPath = join(
  dirname(fileURLToPath(import.meta.resolve('shaka-packager'))),
  'bin',
  `packager-${systems[platform()]}-${arch()}`,
);
