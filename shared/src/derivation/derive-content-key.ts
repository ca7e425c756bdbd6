import { expand } from './hkdf.ts';
import type { MasterKey } from './master-key.ts';

/** AES-128 takes a key of 16 bytes (RFC 8216 section 4.3.2.4, METHOD=AES-128). */
const contentKeyBytes = 16;
/** No `contentId` holds a `/`, so this can never be the `info` of a content key. */
const fingerprintInfo = '/fingerprint';
const fingerprintBytes = 8;

/**
 * The content key: HKDF-SHA-256 with `info` = `contentId`, or `contentId/epoch` where there is an epoch.
 *
 * @param contentId matches `[A-Za-z0-9_-]{1,256}`; the caller has checked it
 * @param epoch 0 to 4294967295, or undefined for content without periods; epoch 0 gives another key than undefined
 * @returns 16 bytes
 */
export function deriveContentKey(masterKey: MasterKey, contentId: string, epoch?: number): Buffer {
  const info = epoch === undefined ? contentId : `${contentId}/${epoch}`;
  return expand(masterKey.pseudoRandomKey, info, contentKeyBytes);
}

/** Tells one master key from another without revealing anything about a content key: 16 hex digits. */
export function deriveFingerprint(masterKey: MasterKey): string {
  return expand(masterKey.pseudoRandomKey, fingerprintInfo, contentKeyBytes)
    .subarray(0, fingerprintBytes)
    .toString('hex');
}
