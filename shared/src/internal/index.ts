export {
  addLogHeaders,
  announceUnsure,
  foreignPageHeader,
  internalHeaderPrefix,
  isDirectHeader,
  personHeaders,
  readLogHeaders,
  readPersonHeader,
} from './answer-headers.ts';
export { apiKeyBatch, contentBatch, importedKeyBatch, leaseBatch, markBatch } from './batch-kinds.ts';
export { addBatchRoute } from './batch-routes.ts';
export { ask, faultOf, readJson, refusalOf, secretHeaders } from './call-service.ts';
export { addFeedRoutes, createFeedClient } from './feed.ts';
export {
  createImportedKeyClient,
  createRefusalClient,
  importedKeyRoutes,
  refusalRoute,
} from './imported-key-client.ts';
export { createInternalClient, type InternalClient } from './internal-client.ts';
export { createInternalGate, internalSecretHeader } from './internal-gate.ts';
export { addProcessReportRoute, processReportPath } from './process-report.ts';
export {
  createApiKeyClient,
  createContentClient,
  createKeyVersionClient,
  createLeaseClient,
  type LeaseClient,
  type RemoteApiKeyVerifier,
  reportUsesEveryMs,
} from './service-clients.ts';
export {
  createSessionUses,
  reportSessionUses,
  reportSessionUsesEveryMs,
  type SessionUses,
  sessionUsesPath,
} from './session-uses.ts';
export {
  createUsageReporter,
  type RecordUsage,
  reportUsage,
  reportUsageEveryMs,
  usagePath,
} from './usage-reports.ts';
