import { readVariable, type Variables } from '../keys/variables.ts';
import { refusal } from '../refusal.ts';

/**
 * Headers for requests to a source, from `--source-header` and from the file that `LATCHKEY_SOURCE_HEADERS_FILE` names, which has one in each line.
 * The option wins over the file.
 *
 * @param given `Name: value`
 * @returns names in lower case
 * @throws AppError `VALIDATION_FAILED`, which never shows a value
 */
export function readSourceHeaders(
  given: readonly string[],
  variables: Variables,
): Readonly<Record<string, string>> {
  const lines = readVariable(variables, 'LATCHKEY_SOURCE_HEADERS')?.split('\n') ?? [];
  const texts = [...lines.filter((line) => line.trim() !== ''), ...given];
  return Object.fromEntries(texts.map(readHeader));
}

/** RFC 9110 section 5.1: a name is a token. A value is kept to the characters that every server takes. */
function readHeader(text: string): readonly [name: string, value: string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0)).toLowerCase();
  const value = text.slice(colon + 1).trim();
  if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value)) return [name, value];
  throw refusal(
    'a header for the source has another form than "Name: value", such as "Authorization: Bearer …" (it is not shown here)',
  );
}
