import { countOf } from '../components/format-count.ts';

/** Less is nothing that anybody would set a clock for. */
const worthSayingMs = 60_000;
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/**
 * How wrong the clock of this computer is: "3 hours ahead", "2 minutes behind".
 *
 * @param offsetMs what is added to it to have the server's: negative where it is ahead
 * @returns null where that is less than a minute
 */
export function describeClock(offsetMs: number): string | null {
  const size = Math.abs(offsetMs);
  if (size < worthSayingMs) return null;
  // 2 hours 59.9 minutes are 3 hours.
  const [unit, lengthMs] = units.find(([, length]) => size >= length * 0.99) ?? units[2];
  return `${countOf(Math.round(size / lengthMs), unit)} ${offsetMs < 0 ? 'ahead' : 'behind'}`;
}
