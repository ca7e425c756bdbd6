import { ContentIdSchema, NotACredential, type Principal, viewerIdOf } from '@latchkey/shared/contracts';
import { instantOf, nullableType, validationFailure } from '@latchkey/shared/http';
import { type TSchema, Type } from '@latchkey/shared/schema';
import { type Lease, leaseStatuses, revokers, statusOf } from './lease.ts';
import { renewAfterSeconds } from './lease-rules.ts';

/** Text without control characters and lone surrogates: neither can be stored on every database. */
const printable = '^[^\\p{Cc}\\p{Cs}]*$';
const instant = { type: 'string', format: 'date-time' };

/** As long as the `sub` of a token may be; `readViewerId` counts bytes. */
export const ViewerIdSchema = Type.String({
  minLength: 1,
  maxLength: 1_024,
  pattern: printable,
  ...NotACredential,
});
/** A malformed lease id gets the answer for an unknown one. */
export const LeaseIdSchema = Type.String({ maxLength: 256, description: 'UUID.', ...NotACredential });
const DeviceIdSchema = nullableType<string>({
  type: 'string',
  minLength: 1,
  maxLength: 200,
  pattern: printable,
  ...NotACredential,
});
export const ReasonSchema = Type.String({ maxLength: 500, pattern: printable });
export const RequestedTtlSchema = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Seconds. The lease may get a shorter time than requested.',
});

export const LeaseSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    kind: Type.Enum(['player', 'session'], { description: 'A session is a lease that is given as a URL.' }),
    viewerId: Type.String(),
    contentId: Type.String(),
    deviceId: nullableType<string>({ type: 'string' }),
    state: Type.Enum([...leaseStatuses]),
    createdAt: Type.String({ format: 'date-time' }),
    renewedAt: nullableType<string>(instant),
    expiresAt: Type.String({ format: 'date-time' }),
    revokedAt: nullableType<string>(instant),
    revokedBy: Type.Unsafe<Lease['revokedBy']>({ type: ['string', 'null'], enum: [...revokers, null] }),
    reason: nullableType<string>({ type: 'string' }),
    lastUsedAt: nullableType<string>({
      ...instant,
      description: 'Of a session: its last reported use. Null for a player, which renews instead.',
    }),
  },
  { title: 'Lease' },
);

/** The body of the creation of a lease or a session. @param ttl the member that names how long it lives */
export function creationBody<Ttl extends Record<string, TSchema>>(ttl: Ttl) {
  return Type.Object(
    {
      contentId: ContentIdSchema,
      ...ttl,
      deviceId: Type.Optional(DeviceIdSchema),
      viewerId: Type.Optional({ ...ViewerIdSchema, description: 'From an API key only, and then required.' }),
    },
    { additionalProperties: false },
  );
}

/** The refusals of every route of players. */
export const playerRefusals = [
  'VALIDATION_FAILED',
  'UNAUTHENTICATED',
  'INVALID_TOKEN',
  'INVALID_API_KEY',
  'INSUFFICIENT_SCOPE',
] as const;

const GrantSchema = Type.Object({
  lease: LeaseSchema,
  ttl_seconds: Type.Integer(),
  renew_after_seconds: Type.Integer({ description: 'Renew this many seconds from now.' }),
});

export function grantResponse(description: string): TSchema {
  return { ...GrantSchema, description };
}

/** The answer to a lease that was created or renewed. */
export function grantOf({ lease, ttlSeconds }: { lease: Lease; ttlSeconds: number }, now: number) {
  return {
    lease: toLeaseView(lease, now),
    ttl_seconds: ttlSeconds,
    renew_after_seconds: renewAfterSeconds(ttlSeconds),
  };
}

/** A lease as the API shows it at `now`. */
export function toLeaseView(lease: Lease, now: number) {
  return {
    id: lease.id,
    kind: lease.session ? ('session' as const) : ('player' as const),
    viewerId: lease.viewerId,
    contentId: lease.contentId,
    deviceId: lease.deviceId,
    state: statusOf(lease, now),
    createdAt: instantOf(lease.createdAt),
    renewedAt: instantOf(lease.renewedAt),
    expiresAt: instantOf(lease.expiresAt),
    revokedAt: instantOf(lease.revokedAt),
    revokedBy: lease.revokedBy,
    reason: lease.reason,
    lastUsedAt: instantOf(lease.session?.usedAt ?? null),
  };
}

/** Fits an index of Postgres, whose entries hold some 2,700 bytes (nbtree, BTMaxItemSize). */
const maxViewerIdBytes = 1_024;

/** @throws AppError VALIDATION_FAILED for an id that is longer than a token's `sub` may be */
export function readViewerId(text: string): string {
  if (Buffer.byteLength(text) <= maxViewerIdBytes) return text;
  throw validationFailure('/viewerId', `must not have more than ${maxViewerIdBytes} bytes`);
}

/**
 * The viewer of a lease: the caller if it is a viewer, else the one that an API key names.
 *
 * @throws AppError VALIDATION_FAILED if a viewer names one, or an API key names none
 */
export function leaseholderOf(principal: Principal, named: string | undefined): string {
  const self = viewerIdOf(principal);
  if (self === null) {
    if (named === undefined) throw validationFailure('/viewerId', 'is missing: an API key names the viewer');
    return readViewerId(named);
  }
  if (named !== undefined) throw validationFailure('/viewerId', 'comes from the token, and is not sent');
  return self;
}
