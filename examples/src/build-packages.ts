import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const sdkFolder = join(import.meta.dirname, '../../sdk');

/** Builds the browser packages as they are published, into `player/` and `uploader/` of the folder. */
export async function buildPackages(folder: string): Promise<void> {
  const builds = [
    [join(sdkFolder, 'player/build.ts'), join(folder, 'player')],
    [join(sdkFolder, 'uploader/build-package.ts'), join(folder, 'uploader')],
  ];
  await Promise.all(builds.map((args) => promisify(execFile)(process.execPath, args)));
}
