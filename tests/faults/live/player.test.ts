import { expect, it } from 'vitest';
import { driftOf, findStalls, type Seen } from './player.ts';

const smooth: Seen = {
  mediaSeconds: 600.2,
  wallSeconds: 600,
  standstillMs: 300,
  interruptions: 0,
  notes: [],
  errors: [],
};

it('a player whose media keeps up with the clock has not stalled', () => {
  expect(findStalls(smooth)).toEqual([]);
});

it.each<[string, Partial<Seen>, string]>([
  ['a second without a picture', { standstillMs: 1_000 }, 'stood still for 1.0 s'],
  ['media that is left out', { mediaSeconds: 602 }, 'played 602.0 s of media in 600.0 s'],
  ['media that falls behind', { mediaSeconds: 598 }, 'played 598.0 s of media in 600.0 s'],
  ['a wait of the player', { interruptions: 1, notes: ['waiting at 3.0 s'] }, 'waiting at 3.0 s'],
])('%s is a stall', (_, seen, stall) => {
  expect(findStalls({ ...smooth, ...seen })).toEqual([stall]);
});

it('a player that never showed a picture has stalled', () => {
  expect(findStalls({ ...smooth, mediaSeconds: 0, wallSeconds: 0 })).toEqual(['never began']);
});

it('media that falls behind like media in the clear beside it is no stall, and more than that is one', () => {
  const drift = driftOf({ ...smooth, mediaSeconds: 597, wallSeconds: 600 });
  expect(findStalls({ ...smooth, mediaSeconds: 597.3 }, drift)).toEqual([]);
  expect(findStalls({ ...smooth, mediaSeconds: 595.5 }, drift)).toEqual([
    'played 595.5 s of media in 600.0 s',
  ]);
});
