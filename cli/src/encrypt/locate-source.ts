import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@latchkey/shared/errors';
import type { EncryptOptions } from './encrypt-options.ts';

/** What is read, as absolute paths with symbolic links resolved. @throws AppError `VALIDATION_FAILED` */
export async function locateSource({
  playlist,
  sourceRoot,
}: Pick<EncryptOptions, 'playlist' | 'sourceRoot'>): Promise<{ playlistPath: string; sourceRoot: string }> {
  const playlistPath = await existing(playlist, 'the playlist');
  return {
    playlistPath,
    sourceRoot: sourceRoot ? await existing(sourceRoot, '--source-root') : dirname(playlistPath),
  };
}

async function existing(path: string, what: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new AppError('VALIDATION_FAILED', { detail: `${what} ${path} is not there`, cause });
  }
}
