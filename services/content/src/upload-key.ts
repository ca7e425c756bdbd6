import { isContentId } from '@latchkey/shared/contracts';
import { validationFailure } from '@latchkey/shared/http';

/** The longest key of an S3 object, in bytes of UTF-8 (its user guide, "Naming Amazon S3 objects"). */
export const maxUploadKeyOctets = 1_024;

/**
 * Whose folder of the bucket the key of an upload lies in (`docs/contract.md#uploads`). The key is the object's name octet
 * for octet: it is neither decoded nor composed (NFC). What the store, a CDN or a player that decodes once too often
 * would read as another folder is refused, and so is what no object should be called.
 *
 * @throws AppError VALIDATION_FAILED
 */
export function readUploadKey(key: string): { contentId: string } {
  const refuse = (message: string) => validationFailure('/key', message);
  if (!key.isWellFormed()) throw refuse('must be valid Unicode');
  if (Buffer.byteLength(key) > maxUploadKeyOctets) {
    throw refuse(`must not have more than ${maxUploadKeyOctets} octets of UTF-8`);
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
