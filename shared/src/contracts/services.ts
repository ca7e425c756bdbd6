import { type Static, Type } from '../schema/type.ts';
import { KeyPeriodsSchema } from './key-periods.ts';
import { type MarkState, MarkStateSchema } from './mark-state.ts';
import { limitedScopes, scopes } from './principal.ts';
import { nullable } from './record.ts';

/** The state that a decision about a session needs in addition to the state of its lease. */
const SessionStateSchema = Type.Object({
  /** SHA-256 of the secret in its URL. */
  secretHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  /** From then on a use of the session is worth reporting: it extends the lease. In milliseconds since 1970. */
  extendFrom: Type.Integer(),
});

/** The state that a decision about a lease needs. All times are milliseconds since 1970. */
export const LeaseStateSchema = Type.Object({
  viewerId: Type.String(),
  contentId: Type.String(),
  expiresAt: Type.Integer(),
  /** From then on an expired lease stays expired. */
  renewableUntil: Type.Integer(),
  revokedAt: nullable(Type.Integer()),
  /** Missing where the lease is not a session. */
  session: Type.Optional(SessionStateSchema),
});
export type LeaseState = Static<typeof LeaseStateSchema>;

/** A number of the change feed. The answer includes every change up to it. */
const AsOf = Type.Integer();
/** The lease service's answers to other services. */
export const LeaseAnswerSchema = Type.Object({ value: nullable(LeaseStateSchema), asOf: AsOf });
export const MarkAnswerSchema = Type.Object({ value: nullable(MarkStateSchema), asOf: AsOf });

/** Reports of uses that other services send: id of an API key or of a session's lease → wall clock of its latest use, in milliseconds since 1970. */
export const UsesSchema = Type.Object({
  uses: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
});

/** The lease service as other services see it. */
export interface LeaseReader {
  /**
   * @returns null if the lease does not exist
   * @throws AppError DEPENDENCY_UNAVAILABLE if the state cannot be known
   */
  findLease(leaseId: string): Promise<LeaseState | null>;
  /**
   * The latest mark that covers the pair (on the viewer, on the content, or on both together) and the block of the viewer.
   *
   * @returns null if there is neither
   * @throws AppError DEPENDENCY_UNAVAILABLE where the state cannot be known
   */
  findMark(viewerId: string, contentId: string): Promise<MarkState | null>;
}

export const ContentStateSchema = Type.Object({
  status: Type.Enum(['active', 'disabled']),
  /** The version of the master key that this content's keys are derived with; it never changes. */
  keyVersion: Type.Integer(),
  keyPeriods: nullable(KeyPeriodsSchema),
  /** Absolute URL of its playlist, for playback sessions. Missing if the content has none. */
  playlistUrl: Type.Optional(Type.String()),
  /** Rises with each change of its imported keys. Missing if no key of the content was ever imported. */
  importedKeysRevision: Type.Optional(Type.Integer({ minimum: 1 })),
});
export type ContentState = Static<typeof ContentStateSchema>;
export type ContentStatus = ContentState['status'];

/** The content service's answer to other services. */
export const ContentAnswerSchema = Type.Object({ content: nullable(ContentStateSchema) });

/** The content service as other services see it. */
export interface ContentReader {
  /**
   * @returns null where the content is not registered
   * @throws AppError DEPENDENCY_UNAVAILABLE where the state cannot be known
   */
  findContent(contentId: string): Promise<ContentState | null>;
}

/** Version of a master key → its fingerprint, see `deriveFingerprint`. */
export const FingerprintsSchema = Type.Object({
  fingerprints: Type.Record(
    Type.String({ pattern: '^[1-9][0-9]{0,2}$' }),
    Type.String({ pattern: '^[0-9a-f]{16}$' }),
  ),
});

/** The registry's knowledge beyond the fingerprints that a process sent. */
export const KeyVersionComparisonSchema = Type.Object({
  /** The versions whose first use was with another key. */
  differing: Type.Array(Type.Integer()),
  /** The known versions that were not given: some process has them, this one has not. */
  missing: Type.Array(Type.Integer()),
});
type KeyVersionComparison = Static<typeof KeyVersionComparisonSchema>;

/**
 * Remembers which master key each version was first used with. The content service implements it, because it assigns the
 * version of new content.
 */
export interface KeyVersionRegistry {
  /**
   * Stores the fingerprint of each new version, and compares the others.
   *
   * @param fingerprints version → 16 hex digits, see `deriveFingerprint`
   * @throws AppError DEPENDENCY_UNAVAILABLE where the registry cannot be read
   */
  compare(fingerprints: ReadonlyMap<number, string>): Promise<KeyVersionComparison>;
}

const apiKeyState = {
  /** UUID; null for the bootstrap key, which is not stored. */
  id: nullable(Type.String()),
  name: Type.String(),
  /** Milliseconds since 1970; null where the key never ends. */
  expiresAt: nullable(Type.Integer()),
  revokedAt: nullable(Type.Integer()),
};
/**
 * The state that a decision about an API key needs. Never the key itself. A limited scope without contents cannot be read: a process that
 * does not know them sent it.
 */
export const ApiKeyStateSchema = Type.Union([
  Type.Object({ ...apiKeyState, scope: Type.Enum([...scopes]) }),
  Type.Object({
    ...apiKeyState,
    scope: Type.Enum([...limitedScopes]),
    /** Ids and prefixes: the contents that exist for the key. */
    contents: Type.Array(Type.String()),
  }),
]);
export type ApiKeyState = Static<typeof ApiKeyStateSchema>;

/** The auth service's answer to other services. */
export const ApiKeyAnswerSchema = Type.Object({ apiKey: nullable(ApiKeyStateSchema) });

/** The auth service as other services see it. */
export interface ApiKeyVerifier {
  /**
   * @param keyHash SHA-256 of the presented value: 64 lower-case hex digits. The value itself is never sent
   * @param wellFormed whether the presented value had the form of a stored key; if not, no database is asked
   * @returns null if the key does not exist. Revoked and expired keys are returned unchanged: the caller compares times
   * @throws AppError DEPENDENCY_UNAVAILABLE if the state cannot be known
   */
  findApiKey(keyHash: string, wellFormed: boolean): Promise<ApiKeyState | null>;
  /** Notes uses: id of the key → wall clock in milliseconds. Returns at once, writes in batches, and never fails the caller. */
  noteUse(id: string, usedAt: number): void;
}
