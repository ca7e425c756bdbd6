import { expect, test } from 'vitest';
import { examineDisk } from './examine-disk.ts';

const mebibyte = 1_024 ** 2;
const examine = (freeMiB: number) =>
  examineDisk('/data/latchkey.db', async () => ({
    freeBytes: freeMiB * mebibyte,
    sizeBytes: 1_000 * mebibyte,
  }));

test.each([
  [0, 'wrong', 'no revocation is accepted'],
  [3, 'wrong', 'is full, 3 MiB are free (0 %)'],
  [99, 'warning', 'is nearly full, 99 MiB are free (9 %)'],
  [100, 'ok', '100 MiB are free (10 %)'],
])('doctor judges a disk of 1,000 MiB with %d MiB free as %s', async (freeMiB, state, words) => {
  expect(await examine(freeMiB)).toEqual([
    expect.objectContaining({
      state,
      about: 'disk of SQLITE_PATH (/data/latchkey.db)',
      says: expect.stringContaining(words),
    }),
  ]);
});

test('doctor says nothing of a disk that it cannot ask', async () => {
  const gone = () => Promise.reject(new Error('ENOENT'));
  expect(await examineDisk('/nowhere/latchkey.db', gone)).toEqual([]);
});
