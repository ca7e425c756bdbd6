import { readFile } from 'node:fs/promises';
import { refusal } from '../refusal.ts';

/**
 * Headers to read with, as `Name: value`.
 *
 * @param file with one in each line; undefined without one
 * @throws AppError `VALIDATION_FAILED`, which never shows a value
 */
export async function readHeaders(
  given: readonly string[],
  file: string | undefined,
): Promise<Record<string, string>> {
  const lines = file === undefined ? [] : (await readLines(file)).filter((line) => line.trim() !== '');
  const headers: Record<string, string> = {};
  for (const text of [...given, ...lines]) {
    const colon = text.indexOf(':');
    const name = text.slice(0, Math.max(colon, 0));
    const value = text
      .slice(colon + 1)
      .replace(/^[ \t]+/, '')
      .trimEnd();
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw refusal(
        'a header has another form than "Name: value", such as "Authorization: Bearer …" (it is not shown here)',
      );
    headers[name] = value;
  }
  return headers;
}

async function readLines(file: string): Promise<string[]> {
  try {
    return (await readFile(file, 'utf8')).split(/\r?\n/);
  } catch (cause) {
    throw refusal(
      `--header-file ${file} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unreadable'})`,
      cause,
    );
  }
}
