import { expand } from './hkdf.ts';
import type { MasterKey } from './master-key.ts';

/** AES-128 takes a key of 16 octets (RFC 8216 section 4.3.2.4, METHOD=AES-128). */
const contentKeyOctets = 16;
/** No `contentId` holds a `/`, so this can never be the `info` of a content key. */
const fingerprintInfo = '/fingerprint';
const fingerprintOctets = 8;

/**
 * The content key: HKDF-SHA-256 with `info` = `contentId`, or `contentId/epoch` where there is an epoch.
 *
 * @param contentId matches `[A-Za-z0-9_-]{1,256}`; the caller has checked it
 * @param epoch 0 to 4294967295, or undefined for content without periods; epoch 0 is not the same key as none
 * @returns 16 octets
 */
export function deriveContentKey(masterKey: MasterKey, contentId: string, epoch?: number): Buffer {
  const info = epoch === undefined ? contentId : `${contentId}/${epoch}`;
  return expand(masterKey.pseudoRandomKey, info, contentKeyOctets);
}

/** Tells one master key from another without giving anything of a content key away: 16 hex digits. */
export function deriveFingerprint(masterKey: MasterKey): string {
  return expand(masterKey.pseudoRandomKey, fingerprintInfo, contentKeyOctets)
    .subarray(0, fingerprintOctets)
    .toString('hex');
}
