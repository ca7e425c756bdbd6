import { type Parser, text } from './parsers.ts';

/** These occur in lists, and in no audience, issuer or claim as identity providers write them. */
const signsOfList = /[\s,|"']|^[[{]/;
const list = { wrong: 'looks like a list, and only one value is accepted' };

/** One audience or one issuer. A list that was read as one value would match no token, and refuse every viewer. */
export const singleValue: Parser<string> = {
  forms: 'one value, such as `https://example.com/`, without white space, commas and quotation marks',
  parse(value) {
    // A URL may have semicolons in its path.
    const parts = value.split(';').filter((part) => part !== '');
    const isUrl = value.includes('://') && !parts.slice(1).some((part) => part.includes('://'));
    return signsOfList.test(value) || (parts.length > 1 && !isUrl) ? list : text.parse(value);
  },
};

/**
 * The place of a claim in a token: its name or, beginning with `/`, a JSON Pointer (RFC 6901). A name that looks like a path is allowed, because
 * it can be the name, and has a warning, because no token would have such a claim if it is not.
 */
export const claimPath: Parser<string> = {
  forms:
    'the name of one claim, such as `films` or `https://example.com/films`, or a JSON Pointer (RFC 6901) such as `/app_metadata/content_ids`',
  parse(value) {
    if (!value.startsWith('/')) {
      if (signsOfList.test(value) || value.includes(';')) return list;
      const parsed = text.parse(value);
      const pointer = toPointer(value);
      if ('wrong' in parsed || pointer === null) return parsed;
      const warning = `is ${value}, and is read as one claim with this whole name. For a claim within another one, set it to ${pointer}`;
      return { value, warning };
    }
    if (/~(?![01])/.test(value)) return { wrong: 'has a `~` that is not part of `~0` or `~1`' };
    // Within a pointer these may belong to a name.
    if (/[,;|]\s*\/|\s\//.test(value)) return list;
    const parsed = text.parse(value);
    if ('wrong' in parsed || !value.split('/').slice(1).includes('')) return parsed;
    return { value, warning: `is ${value}, which names a claim whose name is empty` };
  },
};

/** @returns the pointer that the author of `app_metadata.content_ids`, `a/b` or `$.a["b"]` may have meant; null for a plain name */
function toPointer(name: string): string | null {
  if (name.includes('://') || !/[./[]/.test(name)) return null;
  const parts = name.split(/[./[\]]+/).filter((part) => part !== '' && part !== '$' && part !== '#');
  return parts.map((part) => `/${part.replaceAll('~', '~0')}`).join('');
}
