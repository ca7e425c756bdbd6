import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { openDatabase } from './open.ts';
import { getAsideWriter, runPaced } from './paced-work.ts';

function openFile() {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-paced-'));
  const db = openDatabase({ sqlitePath: join(folder, 'latchkey.db') });
  onTestFinished(async () => {
    await db.destroy();
    rmSync(folder, { recursive: true });
  });
  return db;
}

test('paced work takes a single row at a time where its steps hold locks for long, and more again once they are short', async () => {
  const clock = createManualClock();
  const rows: number[] = [];
  const held: number[] = [];
  let msPerRow = 10;
  await runPaced(openFile(), {
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

test('paced work beside the process counts how long it held the lock of the file, and not how long it waited for it', async () => {
  const db = openFile();
  const clock = createManualClock();
  const aside = getAsideWriter(db);
  await db.schema.createTable('ready_probe').addColumn('id', 'integer').addColumn('at', 'integer').execute();
  const held: number[] = [];
  await runPaced(db, {
    clock,
    signal: new AbortController().signal,
    isAside: true,
    async step() {
      await aside?.insertInto('ready_probe').values({ id: held.length, at: 0 }).execute();
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
