import { integer, oneOf } from '../forms.ts';
import type { Report, Values } from '../settings.ts';

/** Thirty days: a lease that outlives every viewing session limits nothing. */
const lifeSeconds = integer(1, 2_592_000);

/** How long leases live and how many a viewer may have. */
export const leaseVariables = {
  LEASE_MODE: oneOf('off', 'optional', 'required')
    .default('optional')
    .describe('Whether leases exist and whether a key request must name one.'),
  LEASE_TTL_SECONDS: lifeSeconds
    .default(300)
    .describe('How long a lease lives where the viewer asks for nothing else.'),
  LEASE_MAX_TTL_SECONDS: lifeSeconds.default(3600).describe('The longest life that a viewer may ask for.'),
  LEASE_RENEW_GRACE_SECONDS: integer(0, 86_400)
    .default(30)
    .describe('How long after its expiry a lease may still be renewed.'),
  // As `mostActive` of the lease service, which holds in any case.
  LEASE_MAX_PER_VIEWER: integer(0, 1000)
    .default(0)
    .describe('How many active leases a viewer may have; 0 is 1000, which no setting lifts.'),
  SESSION_MAX_SECONDS: lifeSeconds
    // Six hours: longer than a film, a match or a night of television.
    .default(21_600)
    .describe('How long after its creation a playback session ends, however much it is used.'),
  LEASE_LIMIT_MODE: oneOf('reject', 'evict-oldest')
    .default('reject')
    .describe('What one lease too many does.'),
};

/** The longest life must not be shorter than the usual one. */
export function checkLeases(
  { leaseTtlSeconds = 0, leaseMaxTtlSeconds = 0 }: Partial<Values<typeof leaseVariables>>,
  { refuse }: Report,
): void {
  if (leaseMaxTtlSeconds < leaseTtlSeconds)
    refuse(
      'LEASE_MAX_TTL_SECONDS',
      `is ${leaseMaxTtlSeconds}, less than LEASE_TTL_SECONDS (${leaseTtlSeconds}). Accepted: that or more`,
    );
}
