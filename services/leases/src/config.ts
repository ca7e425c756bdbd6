import {
  contentVariables,
  leaseRule,
  leaseVariables,
  type Values,
  viewerTokenVariables,
} from '@latchkey/shared/config';
import type { LeaseRules } from './lease-rules.ts';

/** The variables of this service, beside those of the database, the bus and the listener. */
export const leaseSettings = { ...contentVariables, ...leaseVariables, ...viewerTokenVariables };
/** What must hold between them. */
export const leaseSettingRules = [leaseRule];

export type LeaseConfig = Values<typeof leaseSettings>;

/** The rules of leases as the configuration gives them. */
export function readLeaseRules(config: Values<typeof leaseVariables>): LeaseRules {
  return {
    mode: config.leaseMode,
    ttlSeconds: config.leaseTtlSeconds,
    maxTtlSeconds: config.leaseMaxTtlSeconds,
    renewGraceSeconds: config.leaseRenewGraceSeconds,
    maxPerViewer: config.leaseMaxPerViewer,
    limitMode: config.leaseLimitMode,
  };
}
