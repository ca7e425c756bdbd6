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

/** Settings of every service of the distributed profile. `port` is its default. */
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

/** Additional settings of a service that stores rows. */
export const rowSettings = sharedDatabaseVariables;
