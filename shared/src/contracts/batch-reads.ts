import { type Static, type TSchema, Type } from '../schema/type.ts';
import type { MarkState } from './mark-state.ts';
import type { ApiKeyState, ContentState, LeaseState } from './services.ts';

/** Keys of one batch at most. Four times what this release sends, so that a later one may send more. */
const keysAtMost = 256;

/** The keys of a batch, as another service sends them. */
export function batchSchema<Key extends TSchema>(key: Key) {
  return Type.Object({ keys: Type.Array(key, { minItems: 1, maxItems: keysAtMost }) });
}

/**
 * The answer to a batch: a value for each key, in their order. The values are checked one by one, so that a newer process may say
 * something of one of them that this one does not understand.
 */
export const BatchAnswerSchema = Type.Object({
  values: Type.Array(Type.Unknown()),
  asOf: Type.Optional(
    Type.Integer({ description: 'As in `LeaseAnswerSchema`; the number before the first value was read.' }),
  ),
});

export const ViewerAndContentSchema = Type.Object({ viewerId: Type.String(), contentId: Type.String() });
export type ViewerAndContent = Static<typeof ViewerAndContentSchema>;

export const AskedApiKeySchema = Type.Object({
  keyHash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  wellFormed: Type.Boolean(),
});
export type AskedApiKey = Static<typeof AskedApiKeySchema>;

/**
 * Same as `LeaseReader`, for several at once: in one statement, so in one state of the database. The answers have the order of what
 * was asked for.
 */
export interface LeaseBatchReader {
  findLeases(leaseIds: readonly string[]): Promise<(LeaseState | null)[]>;
  findMarks(pairs: readonly ViewerAndContent[]): Promise<(MarkState | null)[]>;
}

/** Same as `ContentReader`, for several at once. */
export interface ContentBatchReader {
  findContents(contentIds: readonly string[]): Promise<(ContentState | null)[]>;
}

/** Same as `ApiKeyVerifier.findApiKey`, for several at once. */
export interface ApiKeyBatchReader {
  findApiKeys(asked: readonly AskedApiKey[]): Promise<(ApiKeyState | null)[]>;
}
