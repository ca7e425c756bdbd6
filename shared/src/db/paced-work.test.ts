import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { openSqliteFile } from '../testing/sqlite-file.ts';
import { getAsideWriter, runPaced } from './paced-work.ts';

test('paced work takes a single row at a time where its steps hold locks for long, and more again once they are short', async () => {
  const clock = createManualClock();
  const rows: number[] = [];
  const held: number[] = [];
  let msPerRow = 10;
  const { db } = await openSqliteFile();
  await runPaced(db, {
    clock,
    signal: new AbortController().signal,
    async step(count) {
      rows.push(count);
      if (rows.length === 4) msPerRow = 0.001;
      clock.advance(count * msPerRow);
      return rows.length < 8;
    },
    onStep: (heldMs) => held.push(heldMs),
  });
  expect(rows.slice(0, 4)).toEqual([50, 1, 20, 1]);
  expect(rows.at(-1)).toBeGreaterThan(1);
  expect(held.slice(0, 2)).toEqual([500, 10]);
});

test('paced work on a separate thread counts how long it held the lock of the file, and not how long it waited for it', async () => {
  const { db } = await openSqliteFile();
  const clock = createManualClock();
  const aside = getAsideWriter(db);
  const held: number[] = [];
  await runPaced(db, {
    clock,
    signal: new AbortController().signal,
    isAside: true,
    async step() {
      await aside
        ?.updateTable('ready_probe')
        .set({ at: held.length + 1 })
        .execute();
      // As if a request had kept it waiting for a minute.
      clock.advance(60_000);
      return held.length < 1;
    },
    onStep: (heldMs) => held.push(heldMs),
  });
  expect(held).toHaveLength(2);
  for (const heldMs of held) {
    expect(heldMs).toBeGreaterThan(0);
    expect(heldMs).toBeLessThan(60_000);
  }
});
