import { createHmac } from 'node:crypto';

/** Seconds; so that no token is younger than a revocation that comes at once. */
const usualAgeSeconds = 60;
const lifeSeconds = 3_600;

/** A viewer's token as an application would have issued it, a minute ago unless told otherwise (RFC 7515 section 7.1, HS256). */
export function signViewerToken(
  secret: string,
  viewerId: string,
  { ageSeconds = usualAgeSeconds }: { ageSeconds?: number } = {},
): string {
  const now = Math.floor(Date.now() / 1_000);
  const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { sub: viewerId, iat: now - ageSeconds, exp: now + lifeSeconds };
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
