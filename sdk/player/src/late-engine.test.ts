import { afterEach, expect, it, vi } from 'vitest';
import { createLateEngine, hasMediaSource } from './late-engine.ts';
import type { Engine, PlayerCore } from './player-core.ts';
import { asVideo, FakeVideo } from './testing/fake-browser.ts';

afterEach(() => vi.unstubAllGlobals());

/** An engine for a player of one content. */
function openLate() {
  const core = { session: { fail: vi.fn() } as object };
  const loaded: string[] = [];
  const made: Engine = {
    hls: null,
    video: null,
    load: async (url) => void loaded.push(url),
    stop() {},
    destroy() {},
  };
  const create = vi.fn(() => made);
  const engine = createLateEngine(core as unknown as PlayerCore, asVideo(new FakeVideo()), create);
  return { core, engine, create, loaded };
}

it('hls.js is loaded once, for the first playlist that is still wanted', async () => {
  const { core, engine, create, loaded } = openLate();
  const first = engine.load('first');
  core.session = {};
  await Promise.all([first, engine.load('second')]);
  await engine.load('third');
  expect(loaded).toEqual(['second', 'third']);
  expect(create).toHaveBeenCalledTimes(1);
});

it('a player that is destroyed while hls.js is loaded makes no instance of it', async () => {
  const { engine, create } = openLate();
  const loaded = engine.load('film');
  await engine.destroy();
  await loaded;
  expect(create).not.toHaveBeenCalled();
});

it.each([
  [false, {}],
  [true, { MediaSource: { isTypeSupported: () => true } }],
  [true, { ManagedMediaSource: { isTypeSupported: () => true } }],
  [false, { MediaSource: { isTypeSupported: () => false } }],
])('that hls.js can play here (%s) is known without it', (isKnown, globals) => {
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  expect(hasMediaSource()).toBe(isKnown);
});
