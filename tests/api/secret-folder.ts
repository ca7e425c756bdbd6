import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '@latchkey/support/black-box/server-process';
import { afterAll } from 'vitest';

/** Files of secrets that a test replaces while servers run. */
export interface SecretFolder {
  /** For each secret: its variable is unset, and the variable with `_FILE` names its file. */
  variables: Environment;
  /** Replaces files, each at once. */
  write(texts: Readonly<Record<string, string>>): void;
}

/** @param secrets by the names of their variables. The folder is removed after the file's tests */
export function makeSecretFolder(secrets: Readonly<Record<string, string>>): SecretFolder {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write = (texts: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(texts)) {
      const file = join(folder, name);
      writeFileSync(`${file}.new`, text, { mode: 0o600 });
      renameSync(`${file}.new`, file);
    }
  };
  write(secrets);
  const variables = Object.keys(secrets).flatMap((name): [string, string | undefined][] => [
    [name, undefined],
    [`${name}_FILE`, join(folder, name)],
  ]);
  return { variables: Object.fromEntries(variables), write };
}
