import type { ClockPeriods, SequencePeriods } from '../../api/schema.ts';
import { countOf, formatCount } from '../../components/format-numbers.ts';
import { formatCountdown } from '../../components/format-time.ts';

/** An epoch is a number of 32 bits: `docs/reference/contract.md#key-periods`. */
const maxEpoch = 4_294_967_295;

/**
 * The epochs that a clock schedule serves at one instant, like the server's rule (`docs/reference/contract.md#key-periods`).
 *
 * @param nowMs the server's time, milliseconds since 1970
 */
export function keyWindowOf(periods: ClockPeriods, nowMs: number) {
  const { periodSeconds, ahead = 1, behind = null } = periods;
  const origin = Date.parse(periods.origin);
  const periodMs = periodSeconds * 1_000;
  const current = Math.floor((nowMs - origin) / periodMs);
  const last = Math.min(maxEpoch, current + ahead);
  const first = behind === null ? 0 : Math.max(0, current - behind);
  return {
    /** Negative before the origin. */
    current,
    /** The first and the last epoch that are served; null if no epoch is served. */
    served: first <= last ? ([first, last] as const) : null,
    /** When the epoch after the current one begins, in milliseconds since 1970; null after the last epoch. */
    nextAt: current >= maxEpoch ? null : origin + (current + 1) * periodMs,
  };
}

/** "17", or why no epoch is current. */
export function describeCurrent(periods: ClockPeriods, nowMs: number): string {
  const { current } = keyWindowOf(periods, nowMs);
  if (current < 0) return 'none before epoch 0 begins';
  return current > maxEpoch ? 'none: the last one is over' : String(current);
}

/** "16 to 18", "0", or that no key is served. */
export function describeServed(periods: ClockPeriods, nowMs: number): string {
  const { served } = keyWindowOf(periods, nowMs);
  if (served === null) return 'none now';
  const [first, last] = served;
  return first === last ? `epoch ${first}` : `epochs ${first} to ${last}`;
}

/** "epoch 18 in 7 s"; before the origin: "epoch 0 in 3 h 05 min". */
export function describeNext(periods: ClockPeriods, nowMs: number): string {
  const { current, nextAt } = keyWindowOf(periods, nowMs);
  if (nextAt === null) return 'none: the last one has begun';
  // Long before the origin, epoch 0 is the next one that exists.
  const next = Math.max(0, current + 1);
  const at = Math.max(nextAt, Date.parse(periods.origin));
  return `epoch ${next} in ${formatCountdown(at - nowMs)}`;
}

/** The bound on how fast a viewer gets keys. */
export function describePace({ burst = 8, speed = 2, pace = true, periodSeconds }: SequencePeriods): string {
  if (!pace) return 'Not bounded: a viewer can fetch the keys of all epochs at once.';
  return `At most ${countOf(burst, 'key')} at once, then ${countOf(speed, 'key')} every ${formatSeconds(periodSeconds)}.`;
}

/** The keys that a viewer still has when its rights end. */
export function describeRest(periods: SequencePeriods): string {
  const { count, burst = 8, speed = 2, pace = true, periodSeconds } = periods;
  const kept = Math.min(burst, count);
  if (!pace || kept === count) return 'It may hold every key.';
  const epochs =
    kept === 1 ? '1 epoch' : `${formatCount(kept)} epochs, ${formatRoughly(kept * periodSeconds)}`;
  return `It holds the keys of at most ${epochs}, beyond what plays by then at ${formatCount(speed)}× speed.`;
}

/** "10 s", "1 min 00 s", "60.06 s". @param seconds above zero */
export function formatSeconds(seconds: number): string {
  return Number.isInteger(seconds) ? formatCountdown(seconds * 1_000) : `${Number(seconds.toFixed(3))} s`;
}

/** From a minute on, fractions of a second only distract. */
function formatRoughly(seconds: number): string {
  return formatSeconds(seconds < 60 ? seconds : Math.round(seconds));
}
