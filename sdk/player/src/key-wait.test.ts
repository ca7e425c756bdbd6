import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KeyWait } from './emitter.ts';
import type { PlayerError } from './player-error.ts';
import type { PlayerOptions } from './player-options.ts';
import type { FakeHls, FakeVideo } from './testing/fake-browser.ts';
import { type FakeKeyServer, keyUrl, problem, problemForNow } from './testing/fake-key-server.ts';
import { createPlayerScene, load, type PlayerScene } from './testing/player-scene.ts';

let scene: PlayerScene;
let fake: FakeKeyServer;
let video: FakeVideo;
let errors: PlayerError[];
let waits: KeyWait[];
let retries: unknown[];
beforeEach(() => {
  scene = createPlayerScene();
  ({ fake, video, errors } = scene);
  waits = [];
  retries = [];
});
afterEach(() => vi.unstubAllGlobals());

async function open(options: Partial<PlayerOptions> = {}): Promise<FakeHls> {
  const { player, hls } = scene.open(options);
  player.on('keyWait', (wait) => waits.push(wait));
  player.on('retrying', (retry) => retries.push(retry));
  await load(player);
  return hls;
}

/** Until `afterMs` have passed, the server does not serve these keys. The browser's clock may be wrong by `clockErrorMs`. */
function openLater(prefix: string, afterMs: number, clockErrorMs = 0) {
  const openMs = fake.clock.now() + afterMs;
  const opensAt = new Date(fake.clock.wallNow() + afterMs + clockErrorMs).toISOString();
  fake.answer(prefix, () => {
    const leftMs = openMs - fake.clock.now();
    if (leftMs <= 0) return new Response(new Uint8Array(16).fill(7));
    return problemForNow(Math.max(1, Math.ceil(leftMs / 1_000)), 403, 'EPOCH_NOT_YET', {
      opensAt,
      currentEpoch: 5,
    });
  });
  return opensAt;
}

/** The server answers `429 KEY_PACE_EXCEEDED`, until `restore()`. */
function holdBack(prefix: string, seconds: number) {
  return fake.answer(prefix, () => problemForNow(seconds, 429, 'KEY_PACE_EXCEEDED'));
}

it('a key that is not served yet is requested again at opensAt, with the event keyWait and without an error', async () => {
  const hls = await open();
  const opensAt = openLater('GET', 3_400);
  const key = hls.askForKey(keyUrl(7));
  await fake.clock.advance(3_399);
  expect(fake.to('GET')).toHaveLength(1);
  expect(waits).toEqual([
    { code: 'EPOCH_NOT_YET', url: keyUrl(7), delayMs: 3_400, opensAt, currentEpoch: 5 },
  ]);
  await fake.clock.advance(1);
  expect(await key).toBe(7);
  expect(fake.to('GET')).toHaveLength(2);
  expect([errors, retries]).toEqual([[], []]);
});

it.each([-3_600_000, -800, 700, 3_600_000])(
  'a browser whose clock is wrong by %d ms waits for Retry-After, gets the key at most 1.5 s late, and asks at most four times',
  async (clockErrorMs) => {
    const hls = await open();
    openLater('GET', 3_400, clockErrorMs);
    const key = hls.askForKey(keyUrl(7));
    await fake.clock.advance(3_400 + 1_500);
    expect(fake.to('GET').length).toBeLessThanOrEqual(4);
    expect(await key).toBe(7);
    expect(errors).toEqual([]);
  },
);

it('after KEY_PACE_EXCEEDED no key of this content is requested before Retry-After, and a key of another content is', async () => {
  const hls = await open();
  const held = holdBack('GET', 5);
  const [first, stop] = [hls.askForKey(keyUrl(3)), hls.askAndAbort(keyUrl(30))];
  await fake.clock.advance(1_000);
  const { length } = fake.to('GET /keys/film');
  // The viewer seeks on: hls.js gives up one key and needs another.
  stop();
  const second = hls.askForKey(keyUrl(60));
  held.restore();
  expect(await hls.askForKey(keyUrl(9, 'advert'), 0, 'audio')).toBe(9);
  await fake.clock.advance(3_900);
  expect(fake.to('GET /keys/film')).toHaveLength(length);
  await fake.clock.advance(200);
  expect(await Promise.all([first, second])).toEqual([3, 60]);
  expect(fake.to('GET /keys/film/30').length).toBeLessThanOrEqual(1);
  expect(new Set(waits.map(({ code }) => code))).toEqual(new Set(['KEY_PACE_EXCEEDED']));
  expect(new Set(waits.map(({ url }) => url))).toEqual(new Set([keyUrl(3), keyUrl(30), keyUrl(60)]));
  expect([errors, retries]).toEqual([[], []]);
});

it('a key whose token comes once another key of its content has to wait is requested after Retry-After', async () => {
  const late = Promise.withResolvers<string>();
  const tokens: (string | Promise<string>)[] = [];
  const hls = await open({ keyServerAuth: () => tokens.shift() ?? 'token' });
  const held = holdBack('GET', 5);
  tokens.push('token', late.promise);
  const [first, second] = [hls.askForKey(keyUrl(3)), hls.askForKey(keyUrl(60))];
  await fake.clock.advance(1_000);
  held.restore();
  late.resolve('token');
  await fake.clock.advance(3_900);
  expect(fake.to('GET')).toHaveLength(1);
  await fake.clock.advance(3_600);
  expect([await first, await second]).toEqual([3, 60]);
  expect(errors).toEqual([]);
});

it.each(['EPOCH_NOT_YET', 'KEY_PACE_EXCEEDED'])(
  'a wait for %s is an error once nothing could be played for `patienceSeconds`, however long something could be played before',
  async (code) => {
    const hls = await open({ patienceSeconds: 5 });
    if (code === 'EPOCH_NOT_YET') openLater('GET', 3_600_000);
    else holdBack('GET', 2);
    hls.askForKey(keyUrl(7));
    await fake.clock.advance(60_000);
    expect(errors).toEqual([]);
    video.readyState = 0;
    await fake.clock.advance(4_000);
    expect(errors).toEqual([]);
    await fake.clock.advance(2_000);
    expect(errors).toMatchObject([{ code }]);
    const { length } = fake.to('GET');
    await fake.clock.advance(60_000);
    expect(fake.to('GET')).toHaveLength(length);
  },
);

it('after a Retry-After of an hour the key is requested again after `patienceSeconds` while something can be played', async () => {
  const hls = await open({ patienceSeconds: 5 });
  const headers = { 'Retry-After': '3600' };
  const busy = fake.answer('GET', () => new Response('', { status: 503, headers }));
  const key = hls.askForKey(keyUrl(1));
  await fake.clock.advance(4_900);
  expect(fake.to('GET')).toHaveLength(1);
  busy.restore();
  await fake.clock.advance(200);
  expect(await key).toBe(1);
});

it('a 429 and a 403 of something before the key server are still RATE_LIMITED and final', async () => {
  const hls = await open();
  const limit = fake.answer('GET', () => new Response('', { status: 429 }));
  hls.askForKey(keyUrl(1));
  await fake.clock.advance(0);
  limit.restore();
  expect(retries).toMatchObject([{ error: { code: 'RATE_LIMITED' } }]);
  fake.answer('GET', () => new Response('', { status: 403 }));
  await fake.clock.advance(1_000);
  expect(errors).toMatchObject([{ code: 'REFUSED', status: 403 }]);
  expect(waits).toEqual([]);
});

it.each([
  [403, 'EPOCH_PAST'],
  [404, 'EPOCH_NOT_FOUND'],
])('a needed key that is refused with %d %s ends playback with that code', async (status, code) => {
  const hls = await open();
  fake.answer('GET', () => problem(status, code));
  hls.askForKey(keyUrl(1));
  await fake.clock.advance(60_000);
  expect(errors).toMatchObject([{ code, status }]);
  expect(fake.to('GET')).toHaveLength(1);
});
