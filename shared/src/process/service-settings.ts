import {
  authorityVariables,
  cacheAndBusVariables,
  databaseVariables,
  gatewayVariables,
  internalVariables,
  observabilityVariables,
  processVariables,
  rateLimitVariables,
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

/** And where it keeps rows. Separate processes share a Postgres; a file would be each one's own. */
export const rowSettings = databaseVariables;
