import { type Static, Type } from 'typebox';

/** Version of a master key → its fingerprint, see `deriveFingerprint`. */
export const FingerprintsSchema = Type.Object({
  fingerprints: Type.Record(
    Type.String({ pattern: '^[1-9][0-9]{0,2}$' }),
    Type.String({ pattern: '^[0-9a-f]{16}$' }),
  ),
});

/** What the registry knows, beside the fingerprints that a process gave it. */
export const KeyVersionComparisonSchema = Type.Object({
  differing: Type.Array(Type.Integer(), {
    description: 'The versions whose first use was with another key.',
  }),
  missing: Type.Array(Type.Integer(), {
    description:
      'The versions that are known, and that were not among those given: some process has them, this one has not.',
  }),
});
type KeyVersionComparison = Static<typeof KeyVersionComparisonSchema>;

/** Who remembers which master key each version was first used with: the content service, which gives new content its version. */
export interface KeyVersionRegistry {
  /**
   * Stores the fingerprint of each version that is new, and compares the others.
   *
   * @param fingerprints version → 16 hex digits, see `deriveFingerprint`
   * @throws AppError DEPENDENCY_UNAVAILABLE where it cannot be known
   */
  compare(fingerprints: ReadonlyMap<number, string>): Promise<KeyVersionComparison>;
}
