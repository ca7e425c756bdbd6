import { type Static, Type } from 'typebox';
import { nullable } from './record.ts';
import { scopes } from './scope.ts';

/** What deciding about an API key takes. Never the key itself. */
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

/** What the auth service answers its neighbours. */
export const ApiKeyAnswerSchema = Type.Object({ apiKey: nullable(ApiKeyStateSchema) });
/** What its neighbours tell it: id of the key → wall clock of its latest use, in milliseconds since 1970. */
export const ApiKeyUsesSchema = Type.Object({
  uses: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
});

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
