import { isContentId } from '@latchkey/shared/contracts';
import { validationFailure } from '@latchkey/shared/http';

/** The longest key of an S3 object, in bytes of UTF-8 (its user guide, "Naming Amazon S3 objects"). */
export const maxUploadKeyBytes = 1_024;

/**
 * Whose folder of the bucket the key of an upload lies in (`docs/contract.md#uploads`). The key is the object's name byte
 * for byte: it is neither decoded nor composed (NFC). A key that the store, a CDN or a player that decodes once too
 * often would read as another folder is refused, and so is a name that no object should have.
 *
 * @throws AppError VALIDATION_FAILED
 */
export function readUploadKey(key: string): { contentId: string } {
  const refuse = (message: string) => validationFailure('/key', message);
  if (!key.isWellFormed()) throw refuse('must be valid Unicode');
  if (Buffer.byteLength(key) > maxUploadKeyBytes) {
    throw refuse(`must not have more than ${maxUploadKeyBytes} bytes of UTF-8`);
  }
  const [folder, contentId = '', ...rest] = key.split('/');
  if (folder !== 'content' || !isContentId(contentId) || rest.length === 0) {
    throw refuse('must start with content/<contentId>/');
  }
  for (const reading of readingsOf(key)) {
    if (/\p{Cc}/u.test(reading)) throw refuse('must not have control characters, percent-encoded or not');
    if (reading.includes('\\')) throw refuse('must not have backslashes, percent-encoded or not');
    if (reading.split('/').some((segment) => ['', '.', '..'].includes(segment))) {
      throw refuse('must not have an empty, `.` or `..` segment, percent-encoded or not');
    }
  }
  return { contentId };
}

/**
 * The key, and the results of decoding it again and again. Only ASCII has a meaning in a path. Each round makes the text shorter, so
 * it ends.
 */
function* readingsOf(key: string): Generator<string> {
  for (let reading = key; ; ) {
    yield reading;
    const decoded = reading.replace(/%([0-7][0-9a-f])/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (decoded === reading) return;
    reading = decoded;
  }
}

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
