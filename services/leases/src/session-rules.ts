/** `docs/reference/contract.md#sessions`: a use is written at most once in this part of the TTL. */
const extendAfterShare = 0.25;

/** From then on a use of the session is worth a write. Milliseconds since 1970. */
export function extendableFrom(
  { createdAt }: { createdAt: number },
  { ttlMs, usedAt }: { ttlMs: number; usedAt: number | null },
): number {
  return (usedAt ?? createdAt) + Math.floor(ttlMs * extendAfterShare);
}

/** The facts of a lease that an extension needs. All times are milliseconds since 1970. */
interface ExtendableLease {
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
  session?: { ttlMs: number; endsAt: number; usedAt: number | null };
}

/**
 * How a use extends a session.
 *
 * @param usedAt by the clock of another process, or forged: a use that has not been yet counts as one of now
 * @returns null if it changes nothing: the lease is a player's, has ended by now, or was extended shortly before
 */
export function planExtension(
  lease: ExtendableLease,
  usedAt: number,
  now: number,
): { usedAt: number; expiresAt: number } | null {
  const { session, expiresAt, revokedAt } = lease;
  if (!session || revokedAt !== null || expiresAt <= now) return null;
  const used = Math.min(usedAt, now);
  if (used < extendableFrom(lease, session)) return null;
  // A renewal by the viewer may reach further.
  return { usedAt: used, expiresAt: Math.max(expiresAt, Math.min(used + session.ttlMs, session.endsAt)) };
}
