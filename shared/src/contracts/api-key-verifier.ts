import { type Static, Type } from 'typebox';
import { nullable } from './record.ts';
import { scopes } from './scope.ts';

/** The state that a decision about an API key needs. Never the key itself. */
const ApiKeyStateSchema = Type.Object({
  id: Type.Union([Type.String(), Type.Null()], {
    description: 'UUID; null for the bootstrap key, which is not stored.',
  }),
  name: Type.String(),
  scope: Type.Enum([...scopes]),
  expiresAt: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Milliseconds since 1970; null where the key never ends.',
  }),
  revokedAt: nullable(Type.Integer()),
});
export type ApiKeyState = Static<typeof ApiKeyStateSchema>;

/** The auth service's answer to other services. */
export const ApiKeyAnswerSchema = Type.Object({ apiKey: nullable(ApiKeyStateSchema) });
/** Reports of uses that other services send: id of the key → wall clock of its latest use, in milliseconds since 1970. */
export const ApiKeyUsesSchema = Type.Object({
  uses: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
});

/** The auth service as other services see it. */
export interface ApiKeyVerifier {
  /**
   * @param keyHash SHA-256 of the presented value: 64 lower-case hex digits. The value itself is never sent
   * @param wellFormed whether the presented value had the form of a stored key; if not, no database is asked
   * @returns null where no such key exists. Revoked and expired keys are returned unchanged: the caller compares times
   * @throws AppError DEPENDENCY_UNAVAILABLE where the state cannot be known
   */
  findApiKey(keyHash: string, wellFormed: boolean): Promise<ApiKeyState | null>;
  /** Notes uses: id of the key → wall clock in milliseconds. Returns at once, writes in batches, and never fails the caller. */
  noteUse(id: string, usedAt: number): void;
}
