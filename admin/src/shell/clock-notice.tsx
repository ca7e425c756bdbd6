import { Box } from '@mantine/core';
import { countOf } from '../components/format-numbers.ts';
import { Notice } from '../components/notice.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';

/** Says that the clock of this computer is wrong, because every other program on it goes by it. */
export function ClockNotice() {
  const words = describeClock(useStore(useApp().clock.offsetMs));
  if (words === null) return null;
  return (
    <Box mb="1.25rem">
      <Notice role="status">
        The clock of this computer is {words}. Times on this page are counted by the server’s clock.
      </Notice>
    </Box>
  );
}

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
