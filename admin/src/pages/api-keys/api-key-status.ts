import type { ApiKey } from '../../api/resources.ts';

export type ShownStatus = 'active' | 'expiring' | 'expired' | 'revoked';

/** Time enough to rotate a key without haste; the filter "Expiring in 14 days" is the same. */
const expiringMs = 14 * 86_400_000;

/** @param nowMs milliseconds since 1970 */
export function statusOf({ revokedAt, expiresAt }: ApiKey, nowMs: number): ShownStatus {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'active';
  const leftMs = Date.parse(expiresAt) - nowMs;
  if (leftMs <= 0) return 'expired';
  return leftMs <= expiringMs ? 'expiring' : 'active';
}

export function isUsable(status: ShownStatus): boolean {
  return status === 'active' || status === 'expiring';
}
