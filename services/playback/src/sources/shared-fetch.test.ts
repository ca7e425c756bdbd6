import { expect, it } from 'vitest';
import { createSlowPlaces, SharedFetch } from './shared-fetch.ts';

/** A source that answers when the test says so, and becomes slow when the test says so. */
function stage(placesAtMost: number) {
  const scheduled = new Set<() => void>();
  const places = createSlowPlaces((_afterMs, run) => {
    scheduled.add(run);
    return () => scheduled.delete(run);
  }, placesAtMost);
  const open = () => {
    const source = Promise.withResolvers<string>();
    const fetch = new SharedFetch(source.promise, places);
    return { source, join: () => fetch.join().catch((error: Error) => error.message) };
  };
  const becomeSlow = () => {
    for (const run of [...scheduled]) run();
  };
  return { open, becomeSlow, scheduled };
}

it('all that wait for a source that answers soon get its text', async () => {
  const { open, scheduled } = stage(1);
  const { source, join } = open();
  const answers = [join(), join(), join()];
  source.resolve('text');
  expect(await Promise.all(answers)).toEqual(['text', 'text', 'text']);
  expect(scheduled.size).toBe(0);
});

it('of the requests that wait for slow sources a few go on waiting, and the others are refused at once', async () => {
  const { open, becomeSlow } = stage(2);
  const [a, b] = [open(), open()];
  const ofA = [a.join(), a.join(), a.join()];
  becomeSlow();
  expect(await ofA[2]).toBe('the source is slow');
  expect(await a.join()).toBe('the source is slow');
  expect(await b.join()).toBe('the source is slow');
  a.source.resolve('text');
  expect(await Promise.all(ofA.slice(0, 2))).toEqual(['text', 'text']);
  // Their places are free again.
  const ofB = [b.join(), b.join()];
  expect(await b.join()).toBe('the source is slow');
  b.source.reject(new Error('down'));
  expect(await Promise.all(ofB)).toEqual(['down', 'down']);
});
