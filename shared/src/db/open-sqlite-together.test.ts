import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { makeTestFolder } from '../testing/test-folder.ts';

/** Enough that without another try some are refused in every run. */
const files = 30;
const threads = 3;

it('a new database file that several open at the same instant is opened by all of them', async () => {
  const folder = makeTestFolder();
  const turns = new Int32Array(new SharedArrayBuffer(4 * (files + 1)));
  turns[0] = threads;
  const fixture = new URL('./open-sqlite-together.fixture.ts', import.meta.url);
  const open = () =>
    new Promise<string>((resolve) => {
      const worker = new Worker(fixture, { workerData: { folder, files, turns } });
      worker.once('error', (error) => resolve(String(error)));
      worker.once('exit', (code) => resolve(`ended with ${code}`));
      onTestFinished(() => void worker.terminate());
    });
  const ends = await Promise.all(Array.from({ length: threads }, open));
  expect(ends).toEqual(Array.from({ length: threads }, () => 'ended with 0'));
});
