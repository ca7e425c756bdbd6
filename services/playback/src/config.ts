import {
  authorityVariables,
  cacheAndBusVariables,
  defaultPorts,
  gatewayVariables,
  internalVariables,
  leaseVariables,
  observabilityVariables,
  playlistVariables,
  processVariables,
  rateLimitVariables,
  serviceUrlVariables,
  type Values,
} from '@latchkey/shared/config';

/** The variables of this service, in addition to the variables that several services read. */
const playbackSettings = {
  LEASE_MODE: leaseVariables.LEASE_MODE,
  ...playlistVariables,
  PUBLIC_URL: gatewayVariables.PUBLIC_URL,
};

export type PlaybackConfig = Values<typeof playbackSettings>;

/** The variables of a separate process. It verifies no token and no API key, so it has none of their settings. */
export const separateSettings = {
  ...processVariables(defaultPorts.playback),
  ...internalVariables,
  ...cacheAndBusVariables,
  ...authorityVariables,
  ...playbackSettings,
  RATE_LIMIT: gatewayVariables.RATE_LIMIT,
  ...rateLimitVariables,
  LEASES_SERVICE_URL: serviceUrlVariables.LEASES_SERVICE_URL,
  CONTENT_SERVICE_URL: serviceUrlVariables.CONTENT_SERVICE_URL,
  ...observabilityVariables('0.0.0.0'),
};
