/** What the registry knows, beside the fingerprints that a process gave it. */
export interface KeyVersionComparison {
  /** The versions whose first use was with another key. */
  differing: number[];
  /** The versions that are known, and that were not among those given: some process has them, this one has not. */
  missing: number[];
}

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
