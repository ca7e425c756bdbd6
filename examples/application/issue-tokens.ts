import { SignJWT } from 'jose';

/** A token, and how long it lasts. */
interface IssuedToken {
  readonly token: string;
  readonly expiresInSeconds: number;
}

/** Issues the tokens that Latchkey accepts. The caller decides beforehand who may have one. */
export interface TokenIssuer {
  /** Lets one viewer watch one content, for 15 minutes. */
  forViewer(userId: string, contentId: string): Promise<IssuedToken>;
  /** Lets one user upload to one content, for 5 minutes. */
  forUpload(userId: string, contentId: string): Promise<IssuedToken>;
}

/** The shortest of the recommended 15 to 60 minutes. The player asks for a new one with each key. */
const viewerSeconds = 15 * 60;
/** A revocation does not end an upload token, so its life is short. The uploader asks for one with each file. */
const uploadSeconds = 5 * 60;

/**
 * @param secret the value of the key server's `AUTH_JWT_SECRET`
 * @param nowMs milliseconds since 1970
 */
export function createTokenIssuer(secret: string, nowMs: () => number = Date.now): TokenIssuer {
  const key = readSecret(secret);

  async function issue(userId: string, lifeSeconds: number, claims: object): Promise<IssuedToken> {
    // With a fraction (RFC 7519 section 2). In whole seconds, a token of the same second as a revocation would count as older
    // than the revocation.
    const issuedAt = nowMs() / 1_000;
    const token = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setSubject(userId)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifeSeconds)
      .sign(key);
    return { token, expiresInSeconds: lifeSeconds };
  }

  return {
    forViewer: (userId, contentId) => issue(userId, viewerSeconds, { content_ids: [contentId] }),
    forUpload: (userId, contentId) =>
      issue(userId, uploadSeconds, { content_ids: [contentId], scope: 'upload' }),
  };
}

/** Reads the secret as the key server does: as text, or after `base64:` as encoded bytes. */
function readSecret(secret: string): Uint8Array {
  const encoded = /^base64:(.+)$/.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
}
