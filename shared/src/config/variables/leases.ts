import { integer, oneOf } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import { variable } from '../variable.ts';

/** Thirty days: a lease that outlives every viewing session limits nothing. */
const longestLeaseSeconds = 2_592_000;

/** Whether a key request needs a lease. Read by the lease service and the content key service. */
export const leaseMode = variable({
  name: 'LEASE_MODE',
  type: oneOf('off', 'optional', 'required'),
  fallback: 'optional',
  about: 'Whether leases exist and whether a key request must name one.',
});

/** How long leases live and how many a viewer may have. */
export const leaseVariables = {
  leaseMode,
  leaseTtlSeconds: variable({
    name: 'LEASE_TTL_SECONDS',
    type: integer(1, longestLeaseSeconds),
    fallback: 300,
    about: 'How long a lease lives where the viewer asks for nothing else.',
  }),
  leaseMaxTtlSeconds: variable({
    name: 'LEASE_MAX_TTL_SECONDS',
    type: integer(1, longestLeaseSeconds),
    fallback: 3600,
    about: 'The longest life that a viewer may ask for.',
  }),
  leaseRenewGraceSeconds: variable({
    name: 'LEASE_RENEW_GRACE_SECONDS',
    type: integer(0, 86_400),
    fallback: 30,
    about: 'How long after its expiry a lease may still be renewed.',
  }),
  leaseMaxPerViewer: variable({
    name: 'LEASE_MAX_PER_VIEWER',
    // As `mostActive` of the lease service, which holds in any case.
    type: integer(0, 1000),
    fallback: 0,
    about: 'How many active leases a viewer may have; 0 is 1000, which no setting lifts.',
  }),
  sessionMaxSeconds: variable({
    name: 'SESSION_MAX_SECONDS',
    type: integer(1, longestLeaseSeconds),
    // Six hours: longer than a film, a match or a night of television.
    fallback: 21_600,
    about: 'How long after its creation a playback session ends, however much it is used.',
  }),
  leaseLimitMode: variable({
    name: 'LEASE_LIMIT_MODE',
    type: oneOf('reject', 'evict-oldest'),
    fallback: 'reject',
    about: 'What one lease too many does.',
  }),
};

/** The longest life must not be shorter than the usual one. */
export const leaseRule: Rule<{ leaseTtlSeconds?: number; leaseMaxTtlSeconds?: number }> = {
  uses: ['leaseTtlSeconds', 'leaseMaxTtlSeconds'],
  check({ leaseTtlSeconds = 0, leaseMaxTtlSeconds = 0 }) {
    if (leaseMaxTtlSeconds >= leaseTtlSeconds) return [];
    const message = `LEASE_MAX_TTL_SECONDS is ${leaseMaxTtlSeconds}, less than LEASE_TTL_SECONDS (${leaseTtlSeconds}). Accepted: that or more.`;
    return [{ variable: 'LEASE_MAX_TTL_SECONDS', message }];
  },
};
