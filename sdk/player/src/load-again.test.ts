import type Hls from 'hls.js';
import { beforeEach, expect, it } from 'vitest';
import type { Player } from './player.ts';
import { createPlayer } from './player.ts';
import type { PlayerError } from './player-error.ts';
import { asVideo, FakeHls, FakeVideo } from './testing/fake-browser.ts';
import { createFakeKeyServer, type FakeKeyServer, grant } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';

const playlist = 'https://cdn.example/film/master.m3u8';
let fake: FakeKeyServer;
let errors: PlayerError[];
let player: Player;
beforeEach(() => {
  fake = createFakeKeyServer();
  errors = [];
  const Fake = FakeHls as unknown as typeof Hls;
  player = createPlayer({ ...fake.options, video: asVideo(new FakeVideo()), Hls: Fake });
  player.on('error', (error) => errors.push(error));
});

async function load(): Promise<void> {
  const loaded = player.load(playlist, { contentId: 'film' });
  (player.hls as unknown as FakeHls).trigger('MANIFEST_PARSED');
  await loaded;
}

it('a second load takes its lease after the release of the first, which would else be returned for the same content', async () => {
  await load();
  let answer = (_: Response) => {};
  const answered = new Promise<Response>((resolve) => {
    answer = resolve;
  });
  fake.answer('POST /keys/leases/revoke', () => answered);
  const again = load();
  await fake.clock.advance(1_000);
  expect(fake.to('POST').map(({ path }) => path)).toEqual(['/keys/leases', '/keys/leases/revoke']);
  answer(Response.json({ revoked: 1, leases: [] }));
  await again;
  expect(fake.to('POST')).toHaveLength(3);
  expect(player.lease?.id).toBe('lease-2');
  expect(errors).toEqual([]);
});

it('a second load first releases a lease that is still on its way', async () => {
  let answer = () => {};
  const first = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const late = fake.answer('POST /keys/leases', () => first.then(() => grant('late', 201)));
  player.load(playlist, { contentId: 'film' }).catch(() => {});
  await settle();
  late.restore();
  const again = load();
  await settle();
  expect(fake.to('POST')).toHaveLength(1);
  answer();
  await again;
  expect(fake.to('POST').slice(1)).toMatchObject([
    { path: '/keys/leases/revoke', json: { leaseId: 'late' } },
    { path: '/keys/leases' },
  ]);
  expect(errors).toEqual([]);
});
