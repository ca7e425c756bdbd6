import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '@latchkey/support/processes/spawn-entry';

/** Secrets that each lie in a file of their own, as Docker and Kubernetes give them. */
export interface SecretFiles {
  read(name: string): string;
  /** Replaces the file at once, so that no process reads half of it. */
  write(name: string, text: string): void;
  /** For each name: the variable itself is unset, and `<name>_FILE` names the file. */
  variables(names: readonly string[]): Environment;
}

/** Nothing else is accepted at first. */
export const emptyPrevious = {
  ADMIN_API_KEY_PREVIOUS: '',
  AUTH_JWT_SECRET_PREVIOUS: '',
  INTERNAL_SECRET_PREVIOUS: '',
} as const;

/** @param name of the variable, with what tells apart the same variable of several processes: `DATABASE_URL of auth` */
const fileOf = (folder: string, name: string) => join(folder, name.replaceAll(' ', '-').toLowerCase());

export function createSecretFiles(folder: string, secrets: Readonly<Record<string, string>>): SecretFiles {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string) => {
    const file = fileOf(folder, name);
    writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
  };
  for (const [name, text] of Object.entries(secrets)) write(name, text);
  return {
    read: (name) => readFileSync(fileOf(folder, name), 'utf8').trimEnd(),
    write,
    variables: (names) =>
      Object.fromEntries(
        names.flatMap((name) => {
          const variable = name.split(' of ')[0] ?? name;
          return [
            [variable, undefined],
            [`${variable}_FILE`, fileOf(folder, name)],
          ];
        }),
      ),
  };
}
