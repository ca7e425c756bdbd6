import { type AttributeList, findAttribute } from '@latchkey/shared/hls';
import { PlaylistFault } from './playlist-fault.ts';

/** Values of `EXT-X-DEFINE` by name. */
export type Variables = ReadonlyMap<string, string>;

/** Far above the longest URL. Without it, a line that names a long value again and again would fill the memory. */
const longestFilled = 65_536;

const reference = /\{\$([a-zA-Z0-9_-]+)\}/g;

/**
 * The variable that an `EXT-X-DEFINE` tag defines (draft-pantos-hls-rfc8216bis section 4.4.2.3).
 *
 * @param url where the playlist came from, after redirects, as that section wants it for `QUERYPARAM`
 * @param imported of the multivariant playlist that names this one
 * @throws PlaylistFault if the tag is malformed, or its value is not known
 */
export function readDefinition(
  attributes: AttributeList,
  { url, imported, line }: { url: URL; imported: Variables; line: number },
): { name: string; value: string } {
  const find = (attribute: string) => findAttribute(attributes, attribute);
  const name = find('NAME') ?? find('IMPORT') ?? find('QUERYPARAM');
  if (name === undefined) throw new PlaylistFault('#EXT-X-DEFINE names no variable', line);
  let value = find('VALUE');
  if (find('IMPORT') !== undefined) value = imported.get(name);
  if (find('QUERYPARAM') !== undefined) value = url.searchParams.get(name) ?? undefined;
  if (value === undefined) throw new PlaylistFault(`#EXT-X-DEFINE: "${shorten(name)}" has no value`, line);
  return { name, value };
}

/** Replaces `{$name}` by its value. @throws PlaylistFault for a variable that was not defined before */
export function fillIn(text: string, variables: Variables, line: number): string {
  let length = 0;
  return text.replace(reference, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new PlaylistFault(`the variable "${shorten(name)}" is not defined`, line);
    length += value.length;
    if (length > longestFilled) throw new PlaylistFault('its variables make a URI too long', line);
    return value;
  });
}

/** For messages: a name may be as long as its line. */
const shorten = (name: string) => (name.length > 40 ? `${name.slice(0, 40)}…` : name);
