import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock/clock.ts';
import { AppError } from '../errors/errors.ts';
import { type AcceptedSecrets, firstOf } from '../seal/accepted-secrets.ts';

/** One content key, by the parts of its path. */
export interface KeyName {
  readonly contentId: string;
  /** As the path has it; undefined for a content without epochs. */
  readonly epoch?: string | undefined;
  /** The key id, if a packager named the key. No credential is issued for such a key, and no credential of another key may open it. */
  readonly kid?: string | undefined;
}

/**
 * Credentials in the URL of one content key, for an encoder that can send no header: `docs/reference/contract.md#live-encoders`.
 *
 * A credential names the API key that requested it, in encrypted form. It becomes invalid with that API key, and a stolen credential
 * opens one key for a minute. Nothing is stored: every process with the same secret can check it.
 */
export type KeyCredentials = ReturnType<typeof createKeyCredentials>;

interface KeyCredentialOptions {
  /**
   * `INTERNAL_SECRET`, and the other secrets that are accepted. A process without `INTERNAL_SECRET` makes a random secret, so its
   * credentials are valid only until it ends.
   */
  secrets: AcceptedSecrets;
  clock: Clock;
  randomBytes: (size: number) => Buffer;
}

/** ffmpeg reads the key at once after the key info, and asks anew for the next segment. */
const lifetimeMs = 60_000;
/** Marks a credential in any text, so that a log can hide it (`shared/src/log/redact.ts`). */
const prefix = 'lkc_';
/** Separates the key from the secret itself, which services also send to each other, and from other keys made of it. */
const keyInfo = 'latchkey key credential 1';
const keyBytes = 32;
const cipher = 'aes-256-gcm';
/** NIST SP 800-38D section 8.2.2: 96 random bits, for up to 2^32 credentials of one secret. */
const nonceBytes = 12;
const tagBytes = 16;

export function createKeyCredentials({ secrets, clock, randomBytes }: KeyCredentialOptions) {
  const [current, ...previous] = secrets;
  const own = toKey(current);
  const keys = [own, ...previous.map(toKey)];
  return {
    /** @param apiKey `cacheKey` of the principal that asks */
    issue(name: KeyName, apiKey: string): string {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, own, nonce, { authTagLength: tagBytes });
      sealing.setAAD(nameOf(name));
      const facts = sealing.update(`${clock.now() + lifetimeMs} ${apiKey}`, 'utf8');
      const bytes = Buffer.concat([nonce, facts, sealing.final(), sealing.getAuthTag()]);
      return prefix + bytes.toString('base64url');
    },
    /**
     * @param credential as it came in the query
     * @returns the `cacheKey` of the API key that requested it
     * @throws AppError INVALID_TOKEN if it is malformed, expired, made with another secret, or for another key
     */
    open(name: KeyName, credential: unknown): string {
      const bytes = readBytes(credential);
      const facts = firstOf(keys, (key) => readFacts(key, nameOf(name), bytes));
      if (facts === null) throw refuse('It is for another key, or of another installation.');
      const [expiresAt, apiKey = ''] = facts.split(' ');
      if (Number(expiresAt) <= clock.now()) throw refuse('It was good for a minute, which is over.');
      return apiKey;
    },
  };
}

/** A content id has no slash, so no two keys have the same name. */
function nameOf({ contentId, epoch, kid }: KeyName): Buffer {
  if (kid !== undefined) return Buffer.from(`${contentId}/kid/${kid}`);
  return Buffer.from(epoch === undefined ? contentId : `${contentId}/${epoch}`);
}

function readBytes(credential: unknown): Buffer {
  if (typeof credential !== 'string' || !credential.startsWith(prefix)) throw refuse('It is malformed.');
  const text = credential.slice(prefix.length);
  const bytes = Buffer.from(text, 'base64url');
  // Base64 has several texts for the same bytes, of which one is accepted.
  if (bytes.length <= nonceBytes + tagBytes || bytes.toString('base64url') !== text)
    throw refuse('It is malformed.');
  return bytes;
}

const toKey = (secret: string) =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', keyInfo, keyBytes)));

/** Null if it was not sealed with this key, for this name. */
function readFacts(key: KeyObject, name: Buffer, bytes: Buffer): string | null {
  const opening = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
  opening.setAAD(name);
  opening.setAuthTag(bytes.subarray(-tagBytes));
  try {
    return opening.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
  } catch {
    return null;
  }
}

function refuse(reason: string): AppError {
  return new AppError('INVALID_TOKEN', { detail: `The credential in the URL is not accepted. ${reason}` });
}
