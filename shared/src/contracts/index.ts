export {
  ApiKeyAnswerSchema,
  type ApiKeyState,
  ApiKeyStateSchema,
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
export {
  FingerprintsSchema,
  type KeyVersionComparison,
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
export { createRecordReader, createStrictReader, nullable } from './record.ts';
export { isScope, type Scope, scopes } from './scope.ts';
