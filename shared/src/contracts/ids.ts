import { Type } from '../schema/type.ts';

/** A raw API key, or half of one: what is left of it can still not be guessed. `redact` in `shared/src/log` hides smaller parts too. */
export const rawKeyInId = /lk_[0-9a-f]{32}/i;

/**
 * Added to the schema of an id that a caller chooses. The validator of requests refuses a raw API key or a token in its place. Stored, it
 * would be in every list, event, backup and statistic. In the OpenAPI document it is an extension.
 */
export const NotACredential = { 'x-not-a-credential': true } as const;

/** `docs/reference/contract.md#conventions`. `leases` is excluded because it is a path of the lease service. */
const contentIdPattern = '^(?!leases$)[A-Za-z0-9_-]{1,256}$';
const contentId = new RegExp(contentIdPattern);

export const ContentIdSchema = Type.String({ pattern: contentIdPattern, ...NotACredential });

/** Whether a content can have this id. Any other text is not a content, and no database is asked. */
export function isContentId(text: string): boolean {
  // It has no dot, so it is not a token.
  return contentId.test(text) && !rawKeyInId.test(text);
}

/** A UUID as this server writes it (RFC 9562 section 4): in lower case. */
const uuidPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
const uuid = new RegExp(uuidPattern);

export const UuidSchema = Type.String({ pattern: uuidPattern, description: 'A UUID in lower case.' });

/** Whether a lease or an API key can have this id. Any other text is neither, and no service is asked. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
