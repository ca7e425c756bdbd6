import { type Static, Type } from 'typebox';

/** Version of a master key → its fingerprint, see `deriveFingerprint`. */
export const FingerprintsSchema = Type.Object({
  fingerprints: Type.Record(
    Type.String({ pattern: '^[1-9][0-9]{0,2}$' }),
    Type.String({ pattern: '^[0-9a-f]{16}$' }),
  ),
});

/** The registry's knowledge beyond the fingerprints that a process sent. */
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
