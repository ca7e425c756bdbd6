import type { ClockPeriods, KeyPeriods, SequencePeriods } from '@latchkey/shared/contracts';

/**
 * Whether every key that is served by `after` would also be served by `before` at that time. The same periods count, too.
 *
 * It is strict: periods of another mode, origin or clock are not compared, although some of them would serve less.
 */
export function isTightening(before: KeyPeriods | null, after: KeyPeriods | null): boolean {
  if (before === null) return true;
  if (after === null) return false;
  if (before.mode === 'clock') return after.mode === 'clock' && isTighterClock(before, after);
  return after.mode === 'sequence' && isTighterSequence(before, after);
}

function isTighterClock(before: ClockPeriods, after: ClockPeriods): boolean {
  const isSameClock = after.origin === before.origin && after.periodSeconds === before.periodSeconds;
  return (
    isSameClock && after.ahead <= before.ahead && (after.behind ?? Infinity) <= (before.behind ?? Infinity)
  );
}

function isTighterSequence(before: SequencePeriods, after: SequencePeriods): boolean {
  if (after.count > before.count) return false;
  if (!before.pace) return true;
  // The pace gives `burst` keys at once, and `speed` more in each period. So a longer period gives fewer.
  const { burst, speed, periodSeconds } = before;
  return after.pace && after.burst <= burst && after.speed <= speed && after.periodSeconds >= periodSeconds;
}
