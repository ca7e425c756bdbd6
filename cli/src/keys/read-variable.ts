import { readFileSync } from 'node:fs';
import { AppError } from '@latchkey/shared/errors';

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
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unreadable';
    throw refusal(`${name}_FILE: ${file} cannot be read (${reason})`, cause);
  }
}

function refusal(detail: string, cause?: unknown): AppError {
  return new AppError('VALIDATION_FAILED', { detail, cause });
}
