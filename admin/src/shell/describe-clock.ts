import { countOf } from '../components/format-numbers.ts';

/** Nobody sets a clock for a smaller difference. */
const worthSayingMs = 60_000;
const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/**
 * The error of this computer's clock: "3 hours ahead", "2 minutes behind".
 *
 * @param offsetMs added to it to get the server's time: negative if it is ahead
 * @returns null if the error is below a minute
 */
export function describeClock(offsetMs: number): string | null {
  const size = Math.abs(offsetMs);
  if (size < worthSayingMs) return null;
  // 2 hours 59.9 minutes are 3 hours.
  const [unit, lengthMs] = units.find(([, length]) => size >= length * 0.99) ?? units[2];
  return `${countOf(Math.round(size / lengthMs), unit)} ${offsetMs < 0 ? 'ahead' : 'behind'}`;
}
