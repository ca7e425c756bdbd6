import { Box } from '@mantine/core';
import { countOf } from '../components/format-numbers.ts';
import { Notice } from '../components/notice.tsx';
import { useApp } from '../session/app-context.ts';
import { useStore } from '../state/store.ts';

/** Warns that this computer's clock is wrong: every other program on it uses that clock. */
export function ClockNotice() {
  const words = describeClock(useStore(useApp().clock.offsetMs));
  if (words === null) return null;
  return (
    <Box mb="1.25rem">
      <Notice role="status">The clock of this computer is {words}. This page uses the server’s clock.</Notice>
    </Box>
  );
}

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
