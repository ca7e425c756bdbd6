import {
  contentVariables,
  gatewayVariables,
  leaseRule,
  leaseVariables,
  retentionVariables,
  type Values,
  viewerTokenVariables,
} from '@latchkey/shared/config';
import type { LeaseRules } from './lease-rules.ts';

/** The variables of this service, besides those of the database, the bus and the listener. */
export const leaseSettings = {
  ...contentVariables,
  ...leaseVariables,
  ...retentionVariables,
  ...viewerTokenVariables,
  publicUrl: gatewayVariables.publicUrl,
};
/** Checks of several of these variables together. */
export const leaseSettingRules = [leaseRule];

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
