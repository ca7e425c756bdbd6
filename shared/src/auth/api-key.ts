import { hash } from 'node:crypto';

export const apiKeyPrefix = 'lk_';
/** `docs/contract.md#api-keys`: the literal prefix and 32 random bytes in lower-case hex. */
export const apiKeyPattern = /^lk_[0-9a-f]{64}$/;
const randomOctets = 32;
const prefixLength = 11;

/** A new raw key. It is shown once and kept nowhere. */
export function generateApiKey(randomBytes: (size: number) => Buffer): string {
  return `${apiKeyPrefix}${randomBytes(randomOctets).toString('hex')}`;
}

/** The first 11 characters, to tell keys apart by. */
export function keyPrefixOf(rawKey: string): string {
  return rawKey.slice(0, prefixLength);
}

/** SHA-256 in lower-case hex. Fit for keys of 32 random bytes; a password would need more. */
export function hashCredential(credential: string): string {
  return hash('sha256', credential, 'hex');
}

/** SHA-256 as 32 characters of one byte each: there is one in memory for each viewer, and nowhere else. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'binary');
}
