import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** SHA-256 gives 32 bytes (RFC 5869 section 2: HashLen). */
const hashBytes = 32;

/**
 * HKDF-Extract with SHA-256 (RFC 5869 section 2.2): PRK = HMAC(salt, IKM).
 * The result depends on the master key alone, so it is computed once a process, not once a request.
 */
export function extract(salt: Uint8Array, inputKey: Uint8Array): KeyObject {
  // A key object instead of bytes: an HMAC under it takes 2 µs instead of 12, and no log shows its content.
  return createSecretKey(createHmac('sha256', salt).update(inputKey).digest());
}

/**
 * HKDF-Expand with SHA-256 (RFC 5869 section 2.3).
 *
 * @param info UTF-8 text or bytes
 * @param length bytes of output, 1 to 255 × 32
 * @throws RangeError for a length that the RFC does not define
 */
export function expand(pseudoRandomKey: KeyObject, info: string | Uint8Array, length: number): Buffer {
  if (!Number.isInteger(length) || length < 1 || length > 255 * hashBytes) {
    throw new RangeError(`HKDF gives 1 to ${255 * hashBytes} bytes, not ${length}`);
  }
  let block: Buffer = Buffer.alloc(0);
  const blocks: Buffer[] = [];
  for (let counter = 1; blocks.length * hashBytes < length; counter++) {
    const hmac = createHmac('sha256', pseudoRandomKey).update(block);
    // A string is hashed as UTF-8, which the info of a content key needs.
    block = hmac.update(info).update(Uint8Array.of(counter)).digest();
    blocks.push(block);
  }
  const [only] = blocks;
  return (blocks.length === 1 && only ? only : Buffer.concat(blocks)).subarray(0, length);
}
