import type { LeaseState } from '../contracts/index.ts';
import type { KnownState } from './authority-cache.ts';

/**
 * How far the clocks of this process and of the lease service may differ, and the lease services' among each other. Until
 * the grace is over by either clock, the lease service may still renew.
 */
const clockDoubtMs = 60_000;
/**
 * How long "expired for good" holds before it is read once more. It costs one read a minute for a lease that is still asked
 * for, and mends what nobody foresaw: clocks that differ by more than the doubt, or a grace that the operator made longer.
 */
const finalForMs = 60_000;

/**
 * Whether a lease that looks expired may have been renewed since it was read. Renewals are not in the change feed, and a
 * push may be lost, so the times of the cached state prove nothing: the state is final only where the owner itself was read
 * after the grace of that state was over.
 *
 * @param now wall clock, milliseconds since 1970
 * @param loadsAtStart `loadsBegun` of the cache when the request came: a read that began later has seen every renewal that
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
