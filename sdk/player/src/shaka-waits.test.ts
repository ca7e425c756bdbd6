import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { KeyWait } from './emitter.ts';
import type { PlayerError } from './player-error.ts';
import { type ShakaOptions, shakaRequestFilter } from './shaka.ts';
import { asVideo, FakeVideo } from './testing/fake-browser.ts';
import {
  createFakeKeyServer,
  type FakeKeyServer,
  keyUrl,
  problem,
  problemForNow,
} from './testing/fake-key-server.ts';

let fake: FakeKeyServer;
let waits: KeyWait[];
let errors: PlayerError[];
beforeEach(() => {
  fake = createFakeKeyServer();
  waits = [];
  errors = [];
});
afterEach(() => vi.unstubAllGlobals());

const request = (epoch: number, contentId?: string) => ({
  uris: [keyUrl(epoch, contentId)],
  headers: {} as Record<string, string>,
});
const makeFilter = (options: Partial<ShakaOptions> = {}) =>
  shakaRequestFilter({
    ...fake.options,
    onKeyWait: (wait) => waits.push(wait),
    onError: (error) => errors.push(error),
    ...options,
  });
/** Such keys are refused with this answer, until `restore()`. */
function refuse(prefix: string, status: number, code: string, retryAfter: number) {
  return fake.answer(prefix, () => problemForNow(retryAfter, status, code));
}
/** The player reads the playlist of a live stream again and again. */
async function readPlaylistAgain(filter: ReturnType<typeof makeFilter>) {
  for (const query of ['', '?_HLS_msn=7'])
    await filter(0, { uris: [`https://cdn.example/live.m3u8${query}`], headers: {} });
}
const epochs = () => fake.to('GET').map(({ path }) => Number(path.split('/').at(-1)));

it.each([
  [403, 'EPOCH_NOT_YET'],
  [429, 'KEY_PACE_EXCEEDED'],
] as const)(
  'Shaka waits for a key that the server serves later (%d %s), and onKeyWait is called instead of onError',
  async (status, code) => {
    const refusing = refuse('GET', status, code, 5);
    const filtered = makeFilter()(6, request(3));
    await fake.clock.advance(4_900);
    expect(epochs()).toEqual([3]);
    refusing.restore();
    await fake.clock.advance(100);
    await filtered;
    expect(epochs()).toEqual([3, 3]);
    expect(waits).toEqual([{ code, url: keyUrl(3), delayMs: 5_000 }]);
    expect(errors).toEqual([]);
  },
);

it('a wait that leaves Shaka with nothing to play for `patienceSeconds` is an error, and one with something to play is not', async () => {
  const video = new FakeVideo();
  refuse('GET', 403, 'EPOCH_NOT_YET', 3_600);
  const filtered = makeFilter({ video: asVideo(video), patienceSeconds: 10 })(6, request(3));
  filtered.catch(() => {});
  await fake.clock.advance(120_000);
  expect(errors).toEqual([]);
  video.readyState = 0;
  await fake.clock.advance(11_000);
  expect(errors).toMatchObject([{ code: 'EPOCH_NOT_YET' }]);
  await expect(filtered).rejects.toMatchObject({ code: 'EPOCH_NOT_YET' });
});

it('a refused key ends playback with one call of onError, and its code is in the error that Shaka gets', async () => {
  refuse('GET', 403, 'LEASE_REVOKED', 0);
  const filter = makeFilter();
  await expect(filter(6, request(3))).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
  await expect(filter(6, request(4))).rejects.toMatchObject({ code: 'LEASE_REVOKED' });
  expect(errors).toMatchObject([{ code: 'LEASE_REVOKED' }]);
  expect(epochs()).toEqual([3]);
});

it('of the keys that Shaka has given up in many seeks, only the last six are still requested when the pace allows', async () => {
  const refusing = refuse('GET', 429, 'KEY_PACE_EXCEEDED', 5);
  const filter = makeFilter();
  const seeks = Array.from({ length: 30 }, (_, seek) => filter(6, request(seek * 100)));
  for (const seek of seeks) seek.catch(() => {});
  await fake.clock.advance(1_000);
  const { length } = fake.to('GET');
  refusing.restore();
  await fake.clock.advance(30_000);
  expect(epochs().slice(length).sort()).toEqual([24, 25, 26, 27, 28, 29].map((seek) => seek * 100));
  await seeks.at(-1);
  expect(errors).toEqual([]);
});

it('the key of the next epoch of a live stream is fetched in the last three fifths of a period, whose length shows in the requests before it', async () => {
  const filter = makeFilter({ random: () => 0.5 });
  await readPlaylistAgain(filter);
  await filter(6, request(3));
  await fake.clock.advance(12_000);
  await filter(6, request(4));
  await fake.clock.advance(8_399);
  expect(epochs()).toEqual([3, 4]);
  await fake.clock.advance(1);
  expect(epochs()).toEqual([3, 4, 5]);
  await filter(6, request(5));
  expect(epochs()).toEqual([3, 4, 5]);
});

it('on demand, whose playlists are read once, no epoch is requested that no playlist names', async () => {
  const filter = makeFilter();
  for (const name of ['film', 'low', 'high'])
    await filter(0, { uris: [`https://cdn.example/${name}.m3u8`], headers: {} });
  for (const epoch of [0, 1, 2]) {
    await filter(6, request(epoch));
    await fake.clock.advance(12_000);
  }
  await fake.clock.advance(60_000);
  expect(epochs()).toEqual([0, 1, 2]);
});

it('a next epoch that the server does not serve ahead is requested once, and is not an error', async () => {
  const filter = makeFilter();
  await readPlaylistAgain(filter);
  let served = 3;
  fake.answer('GET', ({ path }) =>
    Number(path.split('/').at(-1)) <= served
      ? new Response(new Uint8Array(16))
      : problem(403, 'EPOCH_NOT_YET'),
  );
  for (const epoch of [3, 4, 5, 6, 7]) {
    served = epoch;
    await filter(6, request(epoch));
    await fake.clock.advance(12_000);
  }
  expect(epochs()).toEqual([3, 4, 5, 5, 6, 7]);
  expect([errors, waits]).toEqual([[], []]);
});

it('where scripts may not read blob: URLs, Shaka requests the key again with the token and the lease', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Refused by the Content-Security-Policy')));
  const key = request(3);
  await makeFilter()(6, key);
  expect(key).toEqual({
    uris: [keyUrl(3)],
    headers: { Authorization: 'Bearer token-3', 'X-Lease-Id': 'lease-1' },
  });
  expect(epochs()).toEqual([3]);
});
