import { validationFailure } from '@latchkey/shared/http';

/** Type and subtype: `restricted-name` of RFC 6838, section 4.2. The type of a file has no `*`. */
const name = '[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}';
/** RFC 9110, section 5.6.2. */
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
/** RFC 9110, section 5.6.4, without tabs and non-ASCII characters: stores change those. */
const quoted = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"';
const mediaType = new RegExp(`^${name}/${name}(?: *; *${token}=(?:${token}|${quoted}))*$`);

/** Far above what is in use; a header of S3 may have 8 KiB in all. */
export const maxMediaTypeLength = 255;

/**
 * @returns the same text
 * @throws AppError VALIDATION_FAILED if it is not a `media-type` of RFC 9110, section 8.3.1
 */
export function readMediaType(text: string): string {
  if (text.length <= maxMediaTypeLength && mediaType.test(text)) return text;
  throw validationFailure(
    '/contentType',
    `must be a media type such as video/mp2t, of at most ${maxMediaTypeLength} characters`,
  );
}
