import {
  authorityVariables,
  cacheAndBusVariables,
  gatewayVariables,
  internalVariables,
  observabilityVariables,
  processVariables,
  rateLimitVariables,
  sharedDatabaseVariables,
  viewerTokenVariables,
} from '../config/index.ts';

/** What every service of the distributed profile reads. `port` is its own default. */
export function serviceSettings(port: number) {
  return {
    ...processVariables(port),
    ...internalVariables,
    ...cacheAndBusVariables,
    ...viewerTokenVariables,
    ...authorityVariables,
    rateLimit: gatewayVariables.rateLimit,
    ...rateLimitVariables,
    ...observabilityVariables('0.0.0.0'),
  };
}

/** And where it keeps rows. */
export const rowSettings = sharedDatabaseVariables;
