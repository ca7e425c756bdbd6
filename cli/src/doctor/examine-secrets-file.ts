import { existsSync, statSync } from 'node:fs';
import type { Finding } from './finding.ts';

/** Bits that let others than the owner read, write or run (chmod(2)). */
const others = 0o077;

/** The file in which a first run kept its secrets. */
export function examineSecretsFile(path: string): Finding[] {
  if (!existsSync(path)) return [];
  const mode = statSync(path).mode & 0o777;
  if ((mode & others) === 0) {
    return [
      {
        state: 'ok',
        about: path,
        says: 'holds the secrets of the first run, readable by its owner alone; back it up',
      },
    ];
  }
  return [
    {
      state: 'warning',
      about: path,
      says: `can be read by others (mode ${mode.toString(8).padStart(3, '0')}); whoever reads it can play everything`,
      mend: `chmod 600 ${path}`,
    },
  ];
}
