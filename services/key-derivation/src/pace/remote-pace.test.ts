import { createManualClock } from '@latchkey/shared/testing';
import { expect, it } from 'vitest';
import type { PacedKey } from './key-pace.ts';
import { createLocalPace } from './local-pace.ts';
import { createRemotePace } from './remote-pace.ts';

const periods = {
  mode: 'sequence',
  count: 1_000,
  periodSeconds: 10,
  burst: 3,
  speed: 1,
  pace: true,
} as const;
const keyOf = (epoch: number): PacedKey => ({ viewerId: 'v', contentId: 'c', epoch, periods });

function stage() {
  const clock = createManualClock();
  const shared = createLocalPace(clock, 1e6);
  const state = { isGone: false, asked: 0 };
  const ask = async () => {
    state.asked++;
    if (state.isGone) throw new Error('gone');
  };
  const other = {
    take: (key: PacedKey) => ask().then(() => shared.take(key)),
    look: (key: PacedKey) => ask().then(() => shared.look(key)),
  };
  const open = () => createRemotePace(other, createLocalPace(clock, 1e6));
  return { clock, state, open };
}

it('a key that this process gave lately is given again without a question', async () => {
  const { open, state } = stage();
  const pace = open();
  await pace.take(keyOf(0));
  expect([pace.take(keyOf(0)), state.asked]).toEqual([0, 1]);
});

it('without the other process each gives what its own bucket holds, less what it has given', async () => {
  const { open, state } = stage();
  const pace = open();
  for (const epoch of [0, 1]) expect(await pace.take(keyOf(epoch))).toBe(0);
  state.isGone = true;
  expect(await pace.take(keyOf(2))).toBe(0);
  expect(await pace.take(keyOf(3))).toBeGreaterThan(0);
});

it('a look goes by what others were given, takes nothing, and without the other process goes by the own bucket', async () => {
  const { open, state } = stage();
  const [first, second] = [open(), open()];
  for (const epoch of [0, 1, 2]) await first.take(keyOf(epoch));
  expect(await second.look(keyOf(3))).toEqual({ level: 0, wasGiven: false });
  expect(await second.look(keyOf(2))).toEqual({ level: 0, wasGiven: true });
  state.isGone = true;
  expect(await second.look(keyOf(3))).toEqual({ level: 3, wasGiven: false });
  expect(await second.take(keyOf(3))).toBe(0);
});
