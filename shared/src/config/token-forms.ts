import { text, textUnless } from './forms.ts';
import { url } from './url-forms.ts';

export const keySetUrl = url('http', 'https');

/** These occur in lists, and in no audience, issuer or claim as identity providers write them. */
const signsOfList = /[\s,|"']|^[[{]/;
const isList = 'looks like a list, and only one value is accepted';
const whyNotText = (value: string) => text.safeParse(value).error?.issues[0]?.message;

/** One audience or one issuer. Two that were read as one would match no token, and refuse every viewer. */
export const singleName = textUnless(
  'one value, such as `https://example.com/`, without white space, commas and quotation marks',
  (value) => {
    if (value === '') return 'is empty';
    // A URL may have semicolons in its path.
    const parts = value.split(';').filter((part) => part !== '');
    const isUrl = value.includes('://') && !parts.slice(1).some((part) => part.includes('://'));
    return signsOfList.test(value) || (parts.length > 1 && !isUrl) ? isList : whyNotText(value);
  },
);

/** The place of a claim in a token: its name or, beginning with `/`, a JSON Pointer (RFC 6901). */
export const claimPath = textUnless(
  'the name of one claim, such as `films` or `https://example.com/films`, or a JSON Pointer (RFC 6901) such as `/app_metadata/content_ids`',
  (value) => {
    if (/^[^/]/.test(value) && (signsOfList.test(value) || value.includes(';'))) return isList;
    if (value.startsWith('/') && /~(?![01])/.test(value)) return 'has a `~` that is not part of `~0` or `~1`';
    // Within a pointer these may belong to a name.
    if (value.startsWith('/') && /[,;|]\s*\/|\s\//.test(value)) return isList;
    return whyNotText(value);
  },
);
