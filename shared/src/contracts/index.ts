export { type Alert, AlertsSchema, alertsEveryMs } from './alerts.ts';
export {
  type ApiKeyBatchReader,
  type AskedApiKey,
  AskedApiKeySchema,
  BatchAnswerSchema,
  batchSchema,
  type ContentBatchReader,
  type LeaseBatchReader,
  type ViewerAndContent,
  ViewerAndContentSchema,
} from './batch-reads.ts';
export { CacheControlSchema, isCacheControl } from './cache-control.ts';
export {
  ContentPatternSchema,
  createContentPatterns,
  isContentPattern,
  isWithinPatterns,
} from './content-patterns.ts';
export { type DatabaseSize, DatabaseSizeSchema } from './database-size.ts';
export { type EpochRefusal, findEpochRefusal, toRefusalError } from './find-epoch-refusal.ts';
export { ContentIdSchema, isContentId, isUuid, NotACredential, rawKeyInId, UuidSchema } from './ids.ts';
export {
  ExportedKeySchema,
  type ExportedRange,
  ImportedKeyAnswerSchema,
  type ImportedKeyBatchReader,
  ImportedKeyChangeSchema,
  type ImportedKeyName,
  ImportedKeyNameSchema,
  type ImportedKeyReader,
  type ImportedKeyStore,
  type PassedOnAct,
  RefusedActSchema,
  WrappedKeySchema,
} from './imported-keys.ts';
export { keyEndpointOf } from './key-endpoint.ts';
export {
  type ClockPeriods,
  currentEpochOf,
  type KeyPeriods,
  maxEpoch,
  opensAtOf,
  type SequencePeriods,
} from './key-periods.ts';
export {
  describeSelector,
  type LeaseNames,
  type LeaseSelector,
  quoteId,
} from './lease-names.ts';
export { type LoggedRevocation, readLoggedRevocation } from './logged-revocation.ts';
export { findMarkRefusal, isBlocked, type MarkState, MarkStateSchema, markedAtOf } from './mark-state.ts';
export {
  type Actor,
  type AuditDetails,
  type AuditEntry,
  type AuditOutcome,
  contentsOf,
  isEntitled,
  type Principal,
  readStoredScope,
  type Scope,
  scopes,
  type TokenContents,
  toActor,
  toLimitedScope,
  viewerIdOf,
} from './principal.ts';
export { createRecordReader, createStrictReader, nullable } from './record.ts';
export {
  ApiKeyAnswerSchema,
  type ApiKeyState,
  ApiKeyStateSchema,
  ApiKeyUsesSchema,
  type ApiKeyVerifier,
  ContentAnswerSchema,
  type ContentReader,
  type ContentState,
  ContentStateSchema,
  type ContentStatus,
  FingerprintsSchema,
  KeyVersionComparisonSchema,
  type KeyVersionRegistry,
  LeaseAnswerSchema,
  type LeaseReader,
  type LeaseState,
  LeaseStateSchema,
  MarkAnswerSchema,
  SessionUsesSchema,
} from './services.ts';
export { formatSid, hashSecret, isSecretOf, parseSid, type SessionId, secretBytes } from './session-id.ts';
export {
  type UsageCount,
  type UsageKind,
  type UsageReport,
  UsageReportSchema,
  type UsageRequests,
  usageKinds,
  usageRequests,
} from './usage.ts';
