import { type Static, Type } from '../schema/type.ts';
import { maxEpoch } from './key-periods.ts';
import { type AuditFacts, AuditFactsSchema } from './principal.ts';
import { nullable } from './record.ts';

/** A key that exists already, as AES key wrap stores it: 24 bytes (RFC 3394 section 2.2.1). */
export const WrappedKeySchema = Type.String({ pattern: '^[0-9a-f]{48}$' });

/** Which key of which content. */
export const ImportedKeyNameSchema = Type.Object({
  contentId: Type.String(),
  epoch: nullable(Type.Integer({ minimum: 0, maximum: maxEpoch })),
});
export type ImportedKeyName = Static<typeof ImportedKeyNameSchema>;

export const ImportedKeyAnswerSchema = Type.Object({ wrappedKey: nullable(WrappedKeySchema) });

/** The imported keys as key-derivation reads them for a decision. */
export interface ImportedKeyReader {
  /**
   * @returns 48 hex digits; null if the derived key is served
   * @throws AppError DEPENDENCY_UNAVAILABLE if it cannot be known
   */
  findImportedKey(name: ImportedKeyName): Promise<string | null>;
}

/** Same as `ImportedKeyReader`, for several at once. */
export interface ImportedKeyBatchReader {
  findImportedKeys(names: readonly ImportedKeyName[]): Promise<(string | null)[]>;
}

/** An act of a client that one process takes and another one does. The other one checks the credential itself: nothing vouches for anybody. */
export interface PassedOnAct {
  facts: AuditFacts;
  /** The header of the client's request. */
  authorization: string;
}

/** An act that was refused by a process without a database, as its row in the audit has it. */
export const RefusedActSchema = Type.Object({
  ...AuditFactsSchema.properties,
  action: Type.String(),
  target: nullable(Type.String()),
  outcome: Type.Literal('refused'),
  code: nullable(Type.String()),
});

/** A change of an imported key: the key to store, or null, after which the derived key is served again. */
export const ImportedKeyChangeSchema = Type.Object({
  ...ImportedKeyNameSchema.properties,
  wrappedKey: nullable(WrappedKeySchema),
});
type ImportedKeyChange = Static<typeof ImportedKeyChangeSchema>;

/** Which imported keys an export takes: the keys of a range of epochs, or a page in the order of their epochs. */
export type ExportedRange = { first: number; last: number } | { from: number | null; limit: number };

/** An imported key in an export. */
export const ExportedKeySchema = Type.Object({
  epoch: nullable(Type.Integer()),
  wrappedKey: WrappedKeySchema,
});
type ExportedKey = Static<typeof ExportedKeySchema>;

/** Stores what it cannot open: the content service holds no master key. */
export interface ImportedKeyStore {
  /**
   * Stores or removes a key, with its row in the audit and its change in the feed. The same once more changes nothing but is audited and
   * announced again.
   *
   * @throws AppError CONTENT_NOT_FOUND; DEPENDENCY_UNAVAILABLE if it was not stored, or if that cannot be known
   */
  changeKey(change: ImportedKeyChange, act: PassedOnAct): Promise<void>;
  /**
   * Reads keys for an export, and writes the audit row of it first: without the row there is no export.
   *
   * @returns in the order of their epochs; the key without an epoch comes first, and not in a range
   * @throws AppError DEPENDENCY_UNAVAILABLE
   */
  exportKeys(contentId: string, range: ExportedRange, act: PassedOnAct): Promise<ExportedKey[]>;
}
