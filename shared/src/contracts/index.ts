export {
  ApiKeyAnswerSchema,
  type ApiKeyState,
  ApiKeyUsesSchema,
  type ApiKeyVerifier,
} from './api-key-verifier.ts';
export type { Actor, AuditEntry, AuditOutcome } from './audit-entry.ts';
export {
  ContentAnswerSchema,
  type ContentReader,
  type ContentState,
  type ContentStatus,
} from './content-reader.ts';
export { ContentIdSchema, isContentId, isUuid } from './ids.ts';
export {
  FingerprintsSchema,
  KeyVersionComparisonSchema,
  type KeyVersionRegistry,
} from './key-version-registry.ts';
export {
  LeaseAnswerSchema,
  type LeaseReader,
  type LeaseState,
  LeaseStateSchema,
  MarkAnswerSchema,
  MarkSchema,
} from './lease-reader.ts';
export {
  isEntitled,
  isHeldByMark,
  type Principal,
  type TokenContents,
  toActor,
  viewerIdOf,
} from './principal.ts';
export { createRecordReader, createStrictReader, nullable } from './record.ts';
export { type Scope, scopes } from './scope.ts';
