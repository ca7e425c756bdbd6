import type { LeaseState } from '../contracts/index.ts';
import type { KnownState } from './authority-cache.ts';

/**
 * How far the clocks of this process and of the lease services may differ. While the grace period lasts by any of these
 * clocks, a lease service may still renew.
 */
const clockDoubtMs = 60_000;
/**
 * How long "expired for good" holds before the lease is read once more. The cost is one read a minute for a lease that is
 * still requested. The re-read corrects unforeseen cases: clocks that differ by more than assumed, or a grace period that
 * the operator extended.
 */
const finalForMs = 60_000;

/**
 * Whether a lease that looks expired may have been renewed since it was read. Renewals are not in the change feed, and a
 * push may be lost, so the times of the cached state prove nothing. The state is final only where the owner itself was
 * read after the grace period of that state ended.
 *
 * @param now wall clock, milliseconds since 1970
 * @param loadsAtStart `loadsBegun` of the cache when the request came. A read that began later sees every renewal that
 *   was answered before the request
 */
export function mayHaveBeenRenewed(
  { value, loadNumber, readAtMs }: KnownState<LeaseState>,
  now: number,
  loadsAtStart: number,
): boolean {
  if (loadNumber > loadsAtStart) return false;
  const isFinal = value !== null && readAtMs !== null && readAtMs >= value.renewableUntil + clockDoubtMs;
  return !isFinal || now - readAtMs >= finalForMs;
}
