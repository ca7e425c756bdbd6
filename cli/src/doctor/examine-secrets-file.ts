import { statSync } from 'node:fs';
import { readKeptSecrets, readSecretsFile } from '@latchkey/shared/config';
import { explainError } from '../explain-error.ts';
import type { Variables } from '../keys/read-variable.ts';
import type { Finding } from './finding.ts';

/** Bits that let others than the owner read, write or run (chmod(2)). */
const others = 0o077;

export interface ExaminedSecrets {
  /** What the file holds and the server uses. */
  kept: Readonly<Record<string, string>>;
  path: string;
  found: Finding[];
}

/** The file in which a first run kept its secrets. */
export function examineSecretsFile(env: Variables): ExaminedSecrets {
  try {
    const file = readSecretsFile(env);
    const { values, warnings } = readKeptSecrets(file, env);
    const unused = warnings.map((says): Finding => ({ state: 'warning', about: file.path, says }));
    return {
      kept: values,
      path: file.path,
      found: file.text === null ? [] : [...examineMode(file.path), ...unused],
    };
  } catch (error) {
    const { path = 'latchkey.env' } = error as NodeJS.ErrnoException;
    const finding: Finding = {
      state: 'wrong',
      about: path,
      says: `holds the secrets of the first run, and cannot be read: ${explainError(error)}`,
      mend: 'run this as the user that runs the server, and the server as the owner of that file',
    };
    return { kept: {}, path, found: [finding] };
  }
}

function examineMode(path: string): Finding[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & others) === 0) {
    const says = 'holds the secrets of the first run, readable by its owner alone; back it up';
    return [{ state: 'ok', about: path, says }];
  }
  const says = `can be read by others (mode ${mode.toString(8).padStart(3, '0')}); who reads it can play everything`;
  return [{ state: 'warning', about: path, says, mend: `chmod 600 ${path}` }];
}
