import { hash } from 'node:crypto';

/** SHA-256 works on blocks of 64 bytes and returns 32 (FIPS 180-4 sections 1 and 5). */
const blockBytes = 64;
const hashBytes = 32;
/** A token is rarely longer. Longer texts get a buffer of their own. */
const keptBytes = 4_096;

/**
 * HMAC-SHA-256 (RFC 2104 section 2) of many short texts under one key. Node's `createHmac` makes an object with a finalizer for each
 * text; two hashes of reused buffers take a third to half of its time.
 *
 * @param key of any length
 * @returns a function from a text in Latin-1, such as a token, to its HMAC in base64url
 */
export function createTextHmac(key: Uint8Array): (text: string) => string {
  const block = Buffer.alloc(blockBytes);
  block.set(key.length > blockBytes ? hash('sha256', key, 'buffer') : key);
  const inner = Buffer.alloc(blockBytes + keptBytes);
  const outer = Buffer.alloc(blockBytes + hashBytes);
  for (const [index, byte] of block.entries()) {
    inner[index] = byte ^ 0x36;
    outer[index] = byte ^ 0x5c;
  }
  return (text) => {
    const message = text.length <= keptBytes ? inner : Buffer.alloc(blockBytes + text.length);
    if (message !== inner) inner.copy(message, 0, 0, blockBytes);
    message.write(text, blockBytes, 'latin1');
    // As text and back: a hash as a buffer takes longer than both. `binary` is another name of Latin-1.
    const innerHash = hash('sha256', message.subarray(0, blockBytes + text.length), 'binary');
    outer.write(innerHash, blockBytes, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}
