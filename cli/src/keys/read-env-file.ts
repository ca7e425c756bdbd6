import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { AppError } from '@latchkey/shared/errors';
import type { Variables } from './read-variable.ts';

/** Reads `NAME=value` lines, as `latchkey keygen` and the server write them. @throws AppError `VALIDATION_FAILED` */
export async function readEnvFile(path: string): Promise<Variables> {
  try {
    return parseEnv(await readFile(path, 'utf8'));
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    throw new AppError('VALIDATION_FAILED', {
      detail: `--env-file ${path} cannot be read (${reason})`,
      cause,
    });
  }
}
