import { hash } from 'node:crypto';

export const apiKeyPrefix = 'lk_';
/** `docs/reference/contract.md#api-keys`: the literal prefix and 32 random bytes in lower-case hex. */
export const apiKeyPattern = /^lk_[0-9a-f]{64}$/;
const keyBytes = 32;
const prefixLength = 11;

/** A new raw key. It is shown once and not stored. */
export function generateApiKey(randomBytes: (size: number) => Buffer): string {
  return `${apiKeyPrefix}${randomBytes(keyBytes).toString('hex')}`;
}

/** The first 11 characters, which tell keys apart in lists. */
export function keyPrefixOf(rawKey: string): string {
  return rawKey.slice(0, prefixLength);
}

/** SHA-256 in lower-case hex. Enough for keys of 32 random bytes; a password would need a slow hash. */
export function hashCredential(credential: string): string {
  return hash('sha256', credential, 'hex');
}

/** SHA-256 as 32 one-byte characters. The caches in memory hold one for each viewer; nothing else uses this form. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'binary');
}
