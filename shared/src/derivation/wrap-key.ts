import { createCipheriv, createDecipheriv } from 'node:crypto';
import { type AnyMasterKey, expandBlock } from './derivation.ts';

/** No `contentId` holds a `/`, so this can never be the `info` of a content key. */
const wrappingInfo = '/wrap';
/** RFC 3394 section 2.2.3.1: the default initial value. Unwrapping compares it, and so finds any change. */
const initialValue = Buffer.alloc(8, 0xa6);
const algorithm = 'id-aes256-wrap';

/**
 * The key under which keys that exist already are stored: HKDF of the master key with the info `/wrap`.
 *
 * @returns 32 bytes, for AES-256: one block of HKDF-Expand
 * @throws what the custodian of the master key throws
 */
export function deriveWrappingKey(masterKey: AnyMasterKey): Promise<Buffer> {
  return expandBlock(masterKey, wrappingInfo);
}

/**
 * Wraps a content key for storage: AES-256 key wrap without padding (RFC 3394).
 *
 * @param wrappingKey what `deriveWrappingKey` returned
 * @param contentKey 16 bytes
 * @returns 24 bytes as 48 hex digits. The same key gives the same text
 */
export function wrapContentKey(wrappingKey: Uint8Array, contentKey: Uint8Array): string {
  return wrap(wrappingKey, contentKey).toString('hex');
}

/**
 * @param wrappedKey what `wrapContentKey` returned
 * @returns the 16 bytes; null if they were wrapped under another master key, or were changed
 */
export function unwrapContentKey(wrappingKey: Uint8Array, wrappedKey: string): Buffer | null {
  return unwrap(wrappingKey, Buffer.from(wrappedKey, 'hex'));
}

/** Key wrap with a key of 32 bytes: RFC 3394 section 2.2.1. */
export function wrap(wrappingKey: Uint8Array, key: Uint8Array): Buffer {
  const cipher = createCipheriv(algorithm, wrappingKey, initialValue);
  return Buffer.concat([cipher.update(key), cipher.final()]);
}

/** @returns null where the integrity check of RFC 3394 section 2.2.3 fails */
export function unwrap(wrappingKey: Uint8Array, wrapped: Uint8Array): Buffer | null {
  const decipher = createDecipheriv(algorithm, wrappingKey, initialValue);
  try {
    return Buffer.concat([decipher.update(wrapped), decipher.final()]);
  } catch {
    return null;
  }
}
