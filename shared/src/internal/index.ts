export { createApiKeyClient, type RemoteApiKeyVerifier, tellUsesEveryMs } from './api-key-client.ts';
export { createContentClient, createKeyVersionClient } from './content-client.ts';
export { addFeedRoutes, createFeedClient } from './feed.ts';
export { createLeaseClient, type LeaseClient } from './lease-client.ts';
export { createNeighbourClient, type NeighbourClient } from './neighbour-client.ts';
export {
  createNeighbourGate,
  internalSecretHeader,
  type NeighbourGate,
  refusedHeader,
} from './neighbour-gate.ts';
export { addProcessReportRoute, processReportPath } from './process-report.ts';
export { tellWhenUnsure } from './tell-unsure.ts';
export {
  addTellingHeaders,
  foreignPageHeader,
  isDirectHeader,
  readTellingHeaders,
  type Telling,
  tellingHeaderPrefix,
} from './telling-headers.ts';
