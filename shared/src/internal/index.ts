export { announceUnsure } from './announce-unsure.ts';
export { createApiKeyClient, type RemoteApiKeyVerifier, reportUsesEveryMs } from './api-key-client.ts';
export { ask, faultOf, isSecretRefused, readJson, SecretRefused, secretHeaders } from './ask.ts';
export { createContentClient, createKeyVersionClient } from './content-client.ts';
export { addFeedRoutes, createFeedClient } from './feed.ts';
export { createLeaseClient, type LeaseClient } from './lease-client.ts';
export {
  addLogHeaders,
  foreignPageHeader,
  internalHeaderPrefix,
  isDirectHeader,
  readLogHeaders,
} from './log-headers.ts';
export { createNeighbourClient, type NeighbourClient } from './neighbour-client.ts';
export { createNeighbourGate, internalSecretHeader } from './neighbour-gate.ts';
export { addProcessReportRoute, processReportPath } from './process-report.ts';
