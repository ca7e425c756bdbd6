import {
  contentVariables,
  gatewayVariables,
  leaseVariables,
  retentionVariables,
  type Values,
  viewerTokenVariables,
} from '@latchkey/shared/config';
import type { LeaseRules } from './lease-rules.ts';

/** The variables of this service, in addition to the variables of the database, the bus and the listener. */
export const leaseSettings = {
  ...contentVariables,
  ...leaseVariables,
  ...retentionVariables,
  ...viewerTokenVariables,
  PUBLIC_URL: gatewayVariables.PUBLIC_URL,
};

export type LeaseConfig = Values<typeof leaseSettings>;

/** The configured rules of leases. */
export function readLeaseRules(config: Values<typeof leaseVariables>): LeaseRules {
  return {
    mode: config.leaseMode,
    ttlSeconds: config.leaseTtlSeconds,
    maxTtlSeconds: config.leaseMaxTtlSeconds,
    renewGraceSeconds: config.leaseRenewGraceSeconds,
    maxPerViewer: config.leaseMaxPerViewer,
    limitMode: config.leaseLimitMode,
    sessionMaxSeconds: config.sessionMaxSeconds,
  };
}

/**
 * How long a mark is kept, in milliseconds: no token that is accepted then is older than it. Null for always: a token without `iat` and with an
 * `exp` far ahead is accepted once that is near enough, however long ago it was issued. The tolerance counts twice: a mark
 * holds for tokens issued up to so long after it, and a replica whose clock is behind by as much accepts them for longer.
 */
export function marksKeptMs({
  authJwtMaxAgeSeconds,
  authJwtClockToleranceSeconds,
  authJwtRequireIat,
}: Pick<LeaseConfig, 'authJwtMaxAgeSeconds' | 'authJwtClockToleranceSeconds' | 'authJwtRequireIat'>):
  | number
  | null {
  if (!authJwtRequireIat) return null;
  return (authJwtMaxAgeSeconds + 2 * authJwtClockToleranceSeconds) * 1_000;
}
