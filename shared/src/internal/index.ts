export {
  addLogHeaders,
  announceUnsure,
  foreignPageHeader,
  internalHeaderPrefix,
  isDirectHeader,
  readLogHeaders,
} from './answer-headers.ts';
export { ask, faultOf, isSecretRefused, readJson, SecretRefused, secretHeaders } from './ask.ts';
export { addFeedRoutes, createFeedClient } from './feed.ts';
export { createNeighbourClient, type NeighbourClient } from './neighbour-client.ts';
export { createNeighbourGate, internalSecretHeader } from './neighbour-gate.ts';
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
