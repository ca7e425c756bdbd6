import { Type } from '../schema/type.ts';

/** `docs/reference/contract.md#uploads`. Eight digits are more than three years. */
const cacheControlPattern = '^(?:no-cache|public, max-age=[0-9]{1,8}(?:, immutable)?)$';
const cacheControl = new RegExp(cacheControlPattern);

/** `Cache-Control` of an uploaded object (RFC 9111 section 5.2.2, RFC 8246). */
export const CacheControlSchema = Type.String({
  pattern: cacheControlPattern,
  description:
    '`Cache-Control` of the object, for CDNs and players: `public, max-age=31536000, immutable` for what never changes under its name, `public, max-age=60`, or `no-cache` for a live playlist. The store refuses an upload with another one.',
});

/** Whether an upload can have this `Cache-Control`. */
export function isCacheControl(text: string): boolean {
  return cacheControl.test(text);
}
