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

/** One version of the master key, kept only as the key that HKDF extracted from it and its salt. */
export interface MasterKey {
  /** 1 for `MASTER_KEY_HEX`, 2 for `MASTER_KEY_HEX_V2`, and so on. */
  readonly version: number;
  /** PRK of RFC 5869 section 2.2. As secret as the master key. A key object does not show its content. */
  readonly pseudoRandomKey: KeyObject;
}

/** Both of `masterKey` and `salt` are 32 bytes, as `MASTER_KEY_HEX` and `SALT_HEX` give them. */
export function createMasterKey(version: number, masterKey: Uint8Array, salt: Uint8Array): MasterKey {
  return { version, pseudoRandomKey: extract(salt, masterKey) };
}

/** One version of the master key that another system holds: it computes what HKDF-Expand needs, and this process never sees the key. */
interface CustodiedMasterKey {
  readonly version: number;
  /** @returns HMAC-SHA-256 of the message under the extracted key: 32 bytes */
  mac(message: Uint8Array): Promise<Buffer>;
}

export type AnyMasterKey = MasterKey | CustodiedMasterKey;

/**
 * The first block of HKDF-Expand: T(1) = HMAC(PRK, info | 0x01) (RFC 5869 section 2.3). No derived key is longer.
 *
 * @returns 32 bytes
 */
export async function expandBlock(masterKey: AnyMasterKey, info: string): Promise<Buffer> {
  if ('pseudoRandomKey' in masterKey) return expand(masterKey.pseudoRandomKey, info, hashBytes);
  return masterKey.mac(Buffer.concat([Buffer.from(info), Uint8Array.of(1)]));
}

/** AES-128 takes a key of 16 bytes (RFC 8216 section 4.3.2.4, METHOD=AES-128). */
export const contentKeyBytes = 16;
/** No `contentId` holds a `/`, so this can never be the `info` of a content key. */
const fingerprintInfo = '/fingerprint';
const fingerprintBytes = 8;

/**
 * The `info` of a content key, which is also its path below `/keys/`. A content id has no slash and an epoch is a number, so no two
 * keys share one.
 *
 * @param contentId matches `[A-Za-z0-9_-]{1,256}`; the caller has checked it
 * @param epoch 0 to 4294967295, or undefined for a key without an epoch
 * @param kid a UUID in lower case that a packager chose. A key that has one has no epoch
 */
export function contentKeyInfo(contentId: string, epoch?: number, kid?: string): string {
  if (kid !== undefined) return `${contentId}/kid/${kid}`;
  return epoch === undefined ? contentId : `${contentId}/${epoch}`;
}

/**
 * The content key: HKDF-SHA-256 with the `info` that {@link contentKeyInfo} gives. Epoch 0 gives another key than none.
 *
 * @returns 16 bytes
 */
export function deriveContentKey(
  masterKey: MasterKey,
  contentId: string,
  epoch?: number,
  kid?: string,
): Buffer {
  return expand(masterKey.pseudoRandomKey, contentKeyInfo(contentId, epoch, kid), contentKeyBytes);
}

/** As {@link deriveContentKey}, wherever the master key is. @throws what its custodian throws */
export async function findContentKey(
  masterKey: AnyMasterKey,
  contentId: string,
  epoch?: number,
  kid?: string,
): Promise<Buffer> {
  return (await expandBlock(masterKey, contentKeyInfo(contentId, epoch, kid))).subarray(0, contentKeyBytes);
}

/** Distinguishes one master key from another without revealing anything about a content key: 16 hex digits. @throws as its custodian */
export async function deriveFingerprint(masterKey: AnyMasterKey): Promise<string> {
  return (await expandBlock(masterKey, fingerprintInfo)).subarray(0, fingerprintBytes).toString('hex');
}
