import { AppError } from '@latchkey/shared/errors';
import { createManualClock } from '@latchkey/shared/testing';
import { expect, it, onTestFinished } from 'vitest';
import { testPeriods } from '../testing/follow-live.ts';
import { createKeyRing } from './key-ring.ts';

const key = (epoch: number) => new Uint8Array(16).fill(epoch);
const away = () => new AppError('DEPENDENCY_UNAVAILABLE', { detail: 'connection refused' });

/** A ring whose waits end when the test advances the clock. */
function openRing({ ahead = 1, isAway = false } = {}) {
  const clock = createManualClock();
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const waiting = new Set<{ until: number; resolve: () => void }>();
  const said: string[] = [];
  const asked: number[] = [];
  const server: { fault: ((epoch: number) => Error | undefined) | undefined } = {
    fault: isAway ? away : undefined,
  };
  const ring = createKeyRing({
    periods: testPeriods({ ahead }),
    clock,
    signal: end.signal,
    say: (text) => void said.push(text),
    wait: (seconds) =>
      new Promise<void>((resolve) => void waiting.add({ until: clock.now() + seconds * 1_000, resolve })),
    async fetchKey(epoch) {
      asked.push(epoch);
      const error = server.fault?.(epoch);
      if (error) throw error;
      return key(epoch);
    },
  });
  void ring.keepAhead();
  const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));
  const advance = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1_000);
      for (const entry of waiting) {
        if (entry.until > clock.now()) continue;
        waiting.delete(entry);
        entry.resolve();
      }
      await settle();
    }
  };
  return { ring, server, said, asked, advance, settle };
}

it('the key of the next period is fetched as soon as it is served, and each key once', async () => {
  const { ring, asked, advance, settle } = openRing();
  await settle();
  expect(asked).toEqual([0, 1]);
  await advance(10);
  expect(asked).toEqual([0, 1, 2]);
  await Promise.all([ring.get(0), ring.get(1), ring.get(2)]);
  expect(asked).toEqual([0, 1, 2]);
});

it('an outage of the key server that is shorter than a period stops nothing', async () => {
  const { ring, server, said, advance, settle } = openRing();
  await settle();
  await advance(9);
  server.fault = away;
  // From the end of epoch 0 to shortly before epoch 2.
  await advance(2);
  expect(await ring.get(1)).toEqual(key(1));
  await advance(7);
  server.fault = undefined;
  await advance(2);
  expect(await ring.get(2)).toEqual(key(2));
  expect(said).toEqual([
    expect.stringContaining('the present key holds until 2026-01-01T00:00:20.000Z'),
    'the key of epoch 2 is here',
  ]);
});

it('in a longer outage a key is waited for, once for all renditions, and it is said once', async () => {
  const { ring, server, said, asked, advance, settle } = openRing({ isAway: true });
  await settle();
  const keys = Promise.all([ring.get(0), ring.get(0)]);
  await advance(30);
  expect(said).toEqual([expect.stringContaining('the playlist stands still')]);
  server.fault = undefined;
  await advance(2);
  expect(await keys).toEqual([key(0), key(0)]);
  expect(asked.filter((epoch) => epoch === 0).length).toBeLessThan(70);
});

it('an outage that becomes longer than a period is said again, since the playlist stands still now', async () => {
  const { ring, server, said, advance, settle } = openRing();
  await settle();
  server.fault = away;
  await advance(20);
  const late = ring.get(2);
  await advance(5);
  expect(said).toEqual([expect.stringContaining('holds until'), expect.stringContaining('stands still')]);
  server.fault = undefined;
  await advance(2);
  expect(await late).toEqual(key(2));
});

it('a key that is served a little later, since the clock of the server is behind, is no outage', async () => {
  const { ring, server, said, advance, settle } = openRing();
  await settle();
  server.fault = (epoch) => (epoch === 2 ? new AppError('EPOCH_NOT_YET', { detail: 'soon' }) : undefined);
  await advance(11);
  server.fault = undefined;
  await advance(1);
  expect(await ring.get(2)).toEqual(key(2));
  expect(said).toEqual([]);
});

it('no key is requested before it is served if the content has ahead 0', async () => {
  const { asked, advance, settle } = openRing({ ahead: 0 });
  await settle();
  await advance(9);
  expect(asked).toEqual([0]);
  await advance(1);
  expect(asked).toEqual([0, 1]);
});

it('a key that is not served any more is not waited for', async () => {
  const { ring, server, settle } = openRing();
  await settle();
  server.fault = () => new AppError('EPOCH_PAST', { detail: 'gone' });
  await expect(ring.get(9)).rejects.toMatchObject({ code: 'EPOCH_PAST' });
});
