/** `docs/contract.md#sessions`: a use is written at most once in this part of the TTL. */
const extendAfterShare = 0.25;

/** From then on a use of the session is worth a write. Milliseconds since 1970. */
export function extendableFrom(
  { createdAt }: { createdAt: number },
  { ttlMs, usedAt }: { ttlMs: number; usedAt: number | null },
): number {
  return (usedAt ?? createdAt) + Math.floor(ttlMs * extendAfterShare);
}
