import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { AcceptedSecrets } from './accepted-secrets.ts';

/** A SHA-256 as base64url. */
export const sealLength = 43;
/** Separates the key from the secret itself, which services also send to each other. */
const keyInfo = 'latchkey seal 1';
const keyBytes = 32;

export type Seal = ReturnType<typeof createSeal>;

/**
 * Marks text as written by a process that has `INTERNAL_SECRET`. Redis and NATS carry states and changes, and the right
 * to write there must not be the right to serve a key. Text without a valid seal proves nothing.
 *
 * A seal does not show when it was made. Its reader must tolerate the same text again, later or out of order.
 *
 * @param secrets `INTERNAL_SECRET` and `INTERNAL_SECRET_PREVIOUS`
 */
export function createSeal([current, ...previous]: AcceptedSecrets) {
  const own = toKey(current);
  const others = previous.map(toKey);
  return {
    /**
     * @param place where the text belongs; the seal is invalid in any other place
     * @returns `sealLength` characters of base64url
     */
    of: (place: string, text: string) => hash(own, place, text).toString('base64url'),
    /** Whether this is the seal of the text at this place. */
    isOf(place: string, text: string, seal: string): boolean {
      const presented = Buffer.from(seal, 'base64url');
      const isBy = (key: KeyObject) => {
        const expected = hash(key, place, text);
        return presented.length === expected.length && timingSafeEqual(presented, expected);
      };
      return isBy(own) || others.some(isBy);
    },
  };
}

const toKey = (secret: string) =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', keyInfo, keyBytes)));

/** The length of the place is included, so that no other place and text give the same bytes. */
function hash(key: KeyObject, place: string, text: string): Buffer {
  return createHmac('sha256', key).update(`${place.length} ${place}${text}`).digest();
}
