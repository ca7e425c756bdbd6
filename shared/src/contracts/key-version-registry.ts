/** Who remembers which master key each version was first used with: the content service, which gives new content its version. */
export interface KeyVersionRegistry {
  /**
   * Stores the fingerprint of each version that is new, and compares the others.
   *
   * @param fingerprints version → 16 hex digits, see `deriveFingerprint`
   * @returns the versions whose first use was with another key
   * @throws AppError DEPENDENCY_UNAVAILABLE where it cannot be known
   */
  compare(fingerprints: ReadonlyMap<number, string>): Promise<number[]>;
}
