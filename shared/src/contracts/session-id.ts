import { createHash, timingSafeEqual } from 'node:crypto';

/** The parts of the URL of a session: its lease, and a secret that only the holder of the URL knows. */
export interface SessionId {
  /** UUID of the session's lease. */
  readonly leaseId: string;
  /** SHA-256 of the secret, 64 lower-case hex digits: what is stored. The secret itself is kept nowhere. */
  readonly secretHash: string;
}

/** 16 bytes of the lease's id, then 16 bytes of the secret (`docs/reference/contract.md#sessions`). */
const idBytes = 16;
export const secretBytes = 16;
/** 32 bytes in base64url without padding. */
const sidPattern = /^[\w-]{43}$/;

/**
 * Writes the id of a session for its URL.
 *
 * @param leaseId UUID in lower case
 * @param secret 16 random bytes
 */
export function formatSid(leaseId: string, secret: Uint8Array): string {
  const id = Buffer.from(leaseId.replaceAll('-', ''), 'hex');
  if (id.length !== idBytes || secret.length !== secretBytes) throw new TypeError('not a UUID and 16 bytes');
  return Buffer.concat([id, secret]).toString('base64url');
}

/** @returns null for a text that cannot be the id of a session: no service is asked about it */
export function parseSid(text: string): SessionId | null {
  if (!sidPattern.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  // 43 characters have two bits to spare. Each session has one spelling.
  if (bytes.toString('base64url') !== text) return null;
  const id = bytes.toString('hex', 0, idBytes);
  const leaseId = `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`;
  return { leaseId, secretHash: hashSecret(bytes.subarray(idBytes)) };
}

/** SHA-256 is enough for 128 random bits: there is nothing to guess faster. */
export function hashSecret(secret: Uint8Array): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Compares in constant time. @param stored null where the lease is not a session */
export function isSecretOf(presented: Pick<SessionId, 'secretHash'>, stored: string | null): boolean {
  return (
    stored !== null &&
    stored.length === presented.secretHash.length &&
    timingSafeEqual(Buffer.from(stored), Buffer.from(presented.secretHash))
  );
}
