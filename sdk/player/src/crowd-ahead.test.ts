import Hls from 'hls.js';
import { expect, it } from 'vitest';
import { createKeyAhead } from './key-ahead.ts';
import type { PlayerCore } from './player-core.ts';
import { keyUrl } from './testing/fake-key-server.ts';

/** Enough that chance adds less than a fifth to the worst second. */
const viewers = 2_000;

/** Timers of all players, by the millisecond. */
function createTimers() {
  const due = new Map<number, Set<() => void>>();
  let nowMs = 0;
  return {
    now: () => nowMs,
    setTimeout(callback: () => void, delayMs: number) {
      const atMs = Math.ceil(nowMs + Math.max(0, delayMs));
      const callbacks = due.get(atMs) ?? new Set();
      due.set(atMs, callbacks.add(callback));
      return () => callbacks.delete(callback);
    },
    clearTimeout: (cancel: unknown) => void (cancel as (() => void) | undefined)?.(),
    runUntil(untilMs: number) {
      for (; nowMs <= untilMs; nowMs++) for (const callback of due.get(nowMs) ?? []) callback();
      nowMs = untilMs;
    },
  };
}

/** Numbers of 0 to 1 that are the same in each run (Park and Miller's generator). */
function createNumbers() {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** The first whose players know how long a period is: they have seen two begin. */
const measuredEpoch = 3;

/**
 * Plays a live stream to all viewers at once, from the end of period 0 on. Each new segment reaches all of them at the same moment, which is
 * the worst case.
 *
 * @returns requests for the key of one epoch, by the second
 */
function playTogether({ segmentSeconds, periodSeconds }: { segmentSeconds: number; periodSeconds: number }) {
  const timers = createTimers();
  const random = createNumbers();
  const bySecond = new Map<number, number>();
  const epochOf = (sn: number) => Math.floor((sn * segmentSeconds) / periodSeconds);
  const fragment = (sn: number) => ({
    ...{ sn, type: 'main', level: 0, start: sn * segmentSeconds, duration: segmentSeconds },
    decryptdata: { uri: keyUrl(epochOf(sn)) },
  });
  const players = Array.from({ length: viewers }, () => {
    const held = new Set<string>();
    const fetchAhead = (url: string) => {
      if (held.has(url)) return Promise.resolve(undefined);
      held.add(url);
      const second = Math.floor(timers.now() / 1_000);
      if (url === keyUrl(measuredEpoch)) bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
      return Promise.resolve(undefined);
    };
    const keys = { has: (url: string) => held.has(url), isUsed: (url: string) => held.has(url), fetchAhead };
    const core = { clock: timers, random, session: { keys, leases: { isResting: false } } };
    const hls = { constructor: Hls, levels: [] } as unknown as Hls;
    const ahead = createKeyAhead(hls, core as unknown as PlayerCore, new URL(keyUrl(0)).origin);
    return { update: ahead.listeners[Hls.Events.LEVEL_UPDATED], need: fetchAhead };
  });
  // A segment is in the playlist at its end, and is loaded at once.
  for (let sn = periodSeconds / segmentSeconds - 1; epochOf(sn - 1) < measuredEpoch; sn++) {
    timers.runUntil((sn + 1) * segmentSeconds * 1_000);
    const details = {
      live: true,
      targetduration: segmentSeconds,
      fragments: [fragment(sn - 1), fragment(sn)],
    };
    for (const { update, need } of players) {
      need(keyUrl(epochOf(sn)));
      update?.(undefined, { details });
    }
  }
  const counts = [...bySecond.values()];
  return { peak: Math.max(...counts), total: counts.reduce((sum, count) => sum + count, 0) };
}

it.each([
  { segmentSeconds: 2, periodSeconds: 10 },
  { segmentSeconds: 6, periodSeconds: 18 },
])(
  'two thousand players in step request the next key once each, and in no second more than twice the mean, with segments of $segmentSeconds s and periods of $periodSeconds s',
  (stream) => {
    const { peak, total } = playTogether(stream);
    expect(total).toBe(viewers);
    expect(peak / (viewers / stream.periodSeconds)).toBeLessThanOrEqual(2);
  },
);
