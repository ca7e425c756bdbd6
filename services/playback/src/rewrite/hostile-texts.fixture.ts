import { createOwnKeys } from '../own-keys.ts';

/** The keys that the texts name. */
export const toOwnKey = createOwnKeys('https://keys.example');

const head = '#EXTM3U\n#EXT-X-TARGETDURATION:6\n';
const attributes = (count: number) => Array.from({ length: count }, (_, n) => `A${n}=`).join(',');

/** Texts that were made to keep their reader busy. Each is made of a part that is repeated to a length. */
const parts: Record<string, (fill: (part: string) => string) => string> = {
  'blank lines': (fill) => fill('\n'),
  'blank lines before a line': (fill) => `${fill('\n')}a`,
  'blank lines that end in CRLF': (fill) => fill('\r\n'),
  'carriage returns': (fill) => fill('\r'),
  spaces: (fill) => fill(' '),
  'URIs of two characters': (fill) => fill('ab\n'),
  'URIs of a slash': (fill) => fill('/\n'),
  'spaces in a value': (fill) => `#EXT-X-KEY:URI="a",METHOD=A${fill(' ')}"`,
  'spaces after a quoted value': (fill) => `#EXT-X-KEY:URI="a"${fill(' ')}x`,
  'spaces before a name': (fill) => `#EXT-X-KEY:URI="a",${fill(' ')}x`,
  'commas in a tag': (fill) => `#EXT-X-KEY:URI="a"${fill(',')}`,
  'quotes in a tag': (fill) => `#EXT-X-KEY:URI=${fill('"')}`,
  'equals signs in a tag': (fill) => `#EXT-X-KEY:URI="a",A${fill('=')}`,
  'equals signs in quotes': (fill) => `#EXT-X-KEY:URI="${fill('=')}`,
  'a name without an end': (fill) => `#EXT-X-KEY:URI="a",${fill('A')}`,
  'a tag without an end': (fill) => `#EXT${fill('A')}`,
  'a line without an end': (fill) => fill('a'),
  'a quote without an end': (fill) => `#EXT-X-KEY:URI="${fill('a')}`,
  'many attributes': (fill) => `#EXT-X-KEY:URI="a",${attributes(fill('12345678').length / 8)}`,
  'lines of many attributes': (fill) => fill(`#EXT-X-DATERANGE:X-ASSET-URI="a",${attributes(990)}\n`),
  'attributes without a value': (fill) => `#EXT-X-KEY:URI="a",${fill('A,')}`,
  'one attribute again and again': (fill) => `#EXT-X-FOO:${fill('URI="a",')}`,
  keys: (fill) => fill('#EXT-X-KEY:METHOD=AES-128,URI="k"\n'),
  'keys of this server': (fill) => fill('#EXT-X-KEY:URI="https://keys.example/keys/a"\n'),
  'sessions in keys of this server': (fill) =>
    fill(`#EXT-X-KEY:URI="https://keys.example/keys/a?${'s&'.repeat(32_000)}"\n`),
  'URLs of many at signs': (fill) => fill(`http://${'@'.repeat(65_000)}h/\n`),
  'URLs of many letters with accents': (fill) => fill(`${'ü'.repeat(65_000)}\n`),
  'names in a foreign script': (fill) => fill(`http://${'日本語中文字'.repeat(10_000)}/\n`),
  'a long variable': (fill) =>
    `#EXT-X-DEFINE:NAME="a",VALUE="${'b'.repeat(8_000)}"\n${fill(`${'{$a}'.repeat(8)}\n`)}`,
  'an empty variable': (fill) => `#EXT-X-DEFINE:NAME="a",VALUE=""\n${fill(`${'{$a}'.repeat(16_000)}\n`)}`,
  'variables without an end': (fill) => fill(`${'{$a'.repeat(20_000)}\n`),
  'definitions of a variable': (fill) => fill('#EXT-X-DEFINE:NAME="a",VALUE="b"\n'),
  'variables of the query': (fill) => fill('#EXT-X-DEFINE:QUERYPARAM="z"\n'),
  'reports of renditions': (fill) => fill('#EXT-X-RENDITION-REPORT:URI="a"\n'),
  'one variant again and again': (fill) => fill('#EXT-X-STREAM-INF:\na\n'),
  'offers that are withdrawn': (fill) => fill('#EXT-X-SERVER-CONTROL:CAN-SKIP-UNTIL=1\n'),
};

/** Their names. */
export const hostileTexts = Object.keys(parts);

/** @param characters of the text, about */
export function makeHostileText(name: string, characters: number): string {
  const fill = (part: string) => part.repeat(Math.max(1, Math.floor((characters - 200) / part.length)));
  return head + (parts[name]?.(fill) ?? '');
}
