import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { refusal, refuseUnreadable } from '../refusal.ts';

/** Environment variables, or the lines of an env file. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The value of a variable, or of the file that `<name>_FILE` names (Docker and Kubernetes secrets), without white
 * space around it. An empty value counts as unset.
 *
 * @throws AppError `VALIDATION_FAILED` where both are set or the file cannot be read
 */
export function readVariable(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  const file = variables[`${name}_FILE`]?.trim();
  if (value && file) throw refusal(`${name} and ${name}_FILE are both set; set one`);
  if (!file) return value || undefined;
  try {
    return readFileSync(file, 'utf8').trim() || undefined;
  } catch (cause) {
    return refuseUnreadable(`${name}_FILE: ${file}`)(cause);
  }
}

/** Reads `NAME=value` lines, as `latchkey keygen` and the server write them. @throws AppError `VALIDATION_FAILED` */
export async function readEnvFile(path: string): Promise<Variables> {
  return parseEnv(await readFile(path, 'utf8').catch(refuseUnreadable(`--env-file ${path}`)));
}
