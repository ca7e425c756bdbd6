export type { ApiKeyState, ApiKeyVerifier } from './api-key-verifier.ts';
export type { Actor, AuditEntry, AuditOutcome } from './audit-entry.ts';
export type { ContentReader, ContentState, ContentStatus } from './content-reader.ts';
export type { KeyVersionComparison, KeyVersionRegistry } from './key-version-registry.ts';
export type { LeaseReader, LeaseState } from './lease-reader.ts';
export { isScope, type Scope, scopes } from './scope.ts';
