import {
  authorityVariables,
  cacheAndBusVariables,
  defaultPorts,
  gatewayVariables,
  internalVariables,
  leaseMode,
  observabilityVariables,
  playlistVariables,
  processVariables,
  rateLimitVariables,
  serviceUrlVariables,
  type Values,
} from '@latchkey/shared/config';

/** The variables of this service, besides those that several services read. */
const playbackSettings = { leaseMode, ...playlistVariables, publicUrl: gatewayVariables.publicUrl };

export type PlaybackConfig = Values<typeof playbackSettings>;

/** The variables of a separate process. It verifies no token and no API key, so it has none of their settings. */
export const separateSettings = {
  ...processVariables(defaultPorts.playback),
  ...internalVariables,
  ...cacheAndBusVariables,
  ...authorityVariables,
  ...playbackSettings,
  rateLimit: gatewayVariables.rateLimit,
  ...rateLimitVariables,
  leasesUrls: serviceUrlVariables.leasesUrls,
  contentUrls: serviceUrlVariables.contentUrls,
  ...observabilityVariables('0.0.0.0'),
};
