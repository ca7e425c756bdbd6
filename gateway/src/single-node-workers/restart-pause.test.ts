import { expect, it } from 'vitest';
import { RestartPause } from './restart-pause.ts';

const soonMs = 500;
const dayMs = 86_400_000;

it('workers that end soon are replaced after longer and longer pauses, and one that ran well at once', () => {
  const pause = new RestartPause();
  const pauses = Array.from({ length: 9 }, () => pause.next(soonMs, 1));
  expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  expect(pause.next(dayMs, 1)).toBe(250);
});

it('while no worker serves, the next one starts within a second, however often they ended', () => {
  const pause = new RestartPause();
  for (let n = 0; n < 20; n++) expect(pause.next(soonMs, 0)).toBeLessThanOrEqual(1_000);
  expect(pause.next(soonMs, 1)).toBe(30_000);
});
