import type { Scope } from './scope.ts';

/** What deciding about an API key takes. Never the key itself. */
export interface ApiKeyState {
  /** UUID; null for the bootstrap key, which is not stored. */
  id: string | null;
  name: string;
  scope: Scope;
  /** Milliseconds since 1970; null where the key never ends. */
  expiresAt: number | null;
  revokedAt: number | null;
}

/** The auth service as its neighbours see it. */
export interface ApiKeyVerifier {
  /**
   * @param keyHash SHA-256 of the presented value: 64 lower-case hex digits. The value itself does not travel.
   * @param wellFormed whether the presented value had the form of a stored key; if not, no database is asked
   * @returns null where no such key exists. Revoked and expired keys come back as they are: the caller compares times.
   * @throws AppError DEPENDENCY_UNAVAILABLE where it cannot be known
   */
  findApiKey(keyHash: string, wellFormed: boolean): Promise<ApiKeyState | null>;
  /** Notes uses: id of the key → wall clock in milliseconds. Returns at once, is written in batches, never fails the caller. */
  noteUse(id: string, usedAt: number): void;
}
