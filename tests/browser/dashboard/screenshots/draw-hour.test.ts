import { expect, it } from 'vitest';
import { drawHour } from './draw-hour.ts';

it('the charts in the pictures end with the server’s counts, and are the same each time', () => {
  const statistics = {
    at: '2026-01-31T20:00:00.000Z',
    stepSeconds: 10,
    activeLeases: { count: 21 },
    ready: true,
  };
  const drawn = drawHour(statistics);
  const { series } = drawn.activeLeases as unknown as { series: { at: string; count: number }[] };
  expect(series).toHaveLength(360);
  expect(series.at(-1)).toEqual({ at: '2026-01-31T19:59:50.000Z', count: 21 });
  expect(drawn.ready).toBe(true);
  expect(drawHour(statistics)).toEqual(drawn);
});
