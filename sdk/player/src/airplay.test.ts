import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { RemoteChange } from './emitter.ts';
import type { Player } from './player.ts';
import { attach } from './player.ts';
import { FakeHls, type FakeVideo } from './testing/fake-browser.ts';
import { type FakeKeyServer, keyUrl, playUrl, problem } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, load, type PlayerScene, playlist } from './testing/player-scene.ts';
import './remote.ts';

// A replacement of Safari and a receiver: the events and members that WebKit documents, in the order that was reported of real devices.
let fake: FakeKeyServer;
let scene: PlayerScene;
let video: FakeVideo;
let player: Player;
let hls: FakeHls;
let changes: RemoteChange[];
beforeEach(async () => {
  scene = createPlayerScene();
  ({ fake, video } = scene);
  vi.stubGlobal('WebKitPlaybackTargetAvailabilityEvent', class {});
  vi.stubGlobal('document', { createElement: () => ({ remove() {} }) });
  ({ player, hls } = scene.open({ airPlay: true }));
  changes = [];
  player.on('remote', (change) => changes.push(change));
  await load(player);
  await settle();
  hls.trigger('FRAG_BUFFERED');
});
afterEach(() => vi.unstubAllGlobals());

async function receiver(availability: 'available' | 'not-available') {
  video.dispatchEvent(Object.assign(new Event('webkitplaybacktargetavailabilitychanged'), { availability }));
  await settle();
}
async function target(...wireless: boolean[]) {
  for (const isWireless of wireless) {
    video.webkitCurrentPlaybackTargetIsWireless = isWireless;
    video.emit('webkitcurrentplaybacktargetiswirelesschanged');
  }
  await settle();
}
const states = () => changes.map(({ state }) => state);
const madeSessions = () => fake.to('POST /keys/sessions');
const released = () => fake.to('POST /keys/leases/revoke').map(({ json }) => json?.leaseId);

it('a receiver that is near gets a second source with the URL of a session, and is not forbidden any more', async () => {
  video.disableRemotePlayback = true;
  hls.attachMedia(video);
  expect(madeSessions()).toEqual([]);
  await receiver('available');
  expect(video.disableRemotePlayback).toBe(false);
  expect(video.sources).toMatchObject([{ type: 'application/vnd.apple.mpegurl', src: playUrl('session-1') }]);
  expect(madeSessions()).toMatchObject([{ json: { deviceId: expect.stringMatching(/-airplay$/) } }]);
  expect(states()).toEqual(['offered']);
});

it('a managed media source is preferred for AirPlay, unless the application decides', () => {
  expect(hls.config.preferManagedMediaSource).toBe(true);
  expect(scene.open().hls.config.preferManagedMediaSource).toBeUndefined();
  const hlsConfig = { preferManagedMediaSource: false };
  expect(scene.open({ airPlay: true, hlsConfig }).hls.config.preferManagedMediaSource).toBe(false);
});

it('without `airPlay`, or without Safari, no session is made and receivers stay as hls.js has set them', async () => {
  await player.destroy();
  await load(scene.open().player);
  vi.stubGlobal('WebKitPlaybackTargetAvailabilityEvent', undefined);
  Reflect.deleteProperty(globalThis, 'WebKitPlaybackTargetAvailabilityEvent');
  await load(scene.open({ airPlay: true }).player);
  video.disableRemotePlayback = true;
  await receiver('available');
  expect([madeSessions(), video.sources, video.disableRemotePlayback]).toEqual([[], [], true]);
});

it('a receiver that goes takes its session along', async () => {
  await receiver('available');
  await receiver('not-available');
  expect([released(), video.sources]).toEqual([['session-1'], []]);
  await receiver('available');
  expect(video.sources).toMatchObject([{ src: playUrl('session-2') }]);
});

it('a video whose media source is in its src attribute cannot be handed over, and the event says why', async () => {
  video.src = 'blob:x';
  await receiver('available');
  expect(changes).toMatchObject([{ state: 'failed', error: { code: 'UNSUPPORTED' } }]);
  expect(madeSessions()).toEqual([]);
});

it('a refused session is told once for a content, and the page plays on', async () => {
  fake.answer('POST /keys/sessions', () => problem(409, 'LEASE_LIMIT_REACHED'));
  await receiver('available');
  video.emit('playing', 'playing');
  await receiver('available');
  expect(changes).toMatchObject([{ state: 'failed', error: { code: 'LEASE_LIMIT_REACHED' } }]);
  expect([madeSessions().length, scene.errors]).toEqual([1, []]);
});

it('while a receiver plays, hls.js loads nothing and the page holds no lease, whatever the video does', async () => {
  await receiver('available');
  // As Safari reports a connection.
  await target(true, false, true);
  expect(states()).toEqual(['offered', 'connected']);
  expect(hls.calls.at(-1)).toBe('stop');
  expect([released(), player.lease]).toEqual([['lease-1'], null]);
  video.emit('pause', 'play', 'playing', 'ended');
  await fake.clock.advance(200_000);
  expect(fake.to('POST /keys/leases').filter(({ path }) => path === '/keys/leases')).toHaveLength(1);
  expect(released()).toEqual(['lease-1']);
  // The receiver's session is renewed by the page.
  expect(fake.to('POST /keys/leases/renew').every(({ json }) => json?.leaseId === 'session-1')).toBe(true);
  expect(fake.to('POST /keys/leases/renew').length).toBeGreaterThan(0);
});

it('when the receiver ends, its session is released and the page goes on at the same place with a lease', async () => {
  await receiver('available');
  await target(true);
  // hls.js detaches when Safari closes its media source.
  hls.media = null;
  video.currentTime = 77;
  await target(false);
  expect(states()).toEqual(['offered', 'connected']);
  await fake.clock.advance(1_000);
  expect(states().slice(2)).toEqual(['disconnected', 'offered']);
  expect(hls.media).toBe(video);
  expect(hls.calls.at(-1)).toBe('start 77');
  expect(player.lease?.id).toBe('lease-2');
  expect(released()).toEqual(['lease-1', 'session-1']);
  expect(await hls.askForKey(keyUrl(3))).toBe(3);
});

it('a live stream goes on at its end when the receiver ends', async () => {
  await receiver('available');
  await target(true);
  hls.latestLevelDetails = { live: true };
  await target(false);
  await fake.clock.advance(1_000);
  expect(hls.calls.at(-1)).toBe('start -1');
});

it('the Remote Playback API tells of a receiver as well', async () => {
  const remote = Object.assign(new EventTarget(), { state: 'connected' });
  Object.assign(video, { remote });
  hls.attachMedia(video);
  remote.dispatchEvent(new Event('connect'));
  expect(states()).toEqual(['connected']);
  remote.state = 'disconnected';
  remote.dispatchEvent(new Event('disconnect'));
  await fake.clock.advance(1_000);
  expect(states()).toContain('disconnected');
});

it('a session that is revoked while a receiver plays is told, and the page asks for its own lease afterwards', async () => {
  await receiver('available');
  await target(true);
  fake.answer('POST /keys/leases/renew', () => problem(403, 'LEASE_REVOKED'));
  await fake.clock.advance(75_000);
  expect(changes.at(-1)).toMatchObject({ state: 'failed', error: { code: 'LEASE_REVOKED' } });
  fake.answer('POST /keys/leases', () => problem(403, 'TOKEN_REVOKED'));
  await target(false);
  await fake.clock.advance(1_000);
  expect(scene.errors).toMatchObject([{ code: 'TOKEN_REVOKED' }]);
});

it('another content gets another session, and a playback that has ended by an error loses its own and gets none', async () => {
  await receiver('available');
  await load(player, 'sequel');
  hls.attachMedia(video);
  await settle();
  expect(madeSessions().map(({ json }) => json?.contentId)).toEqual(['film', 'sequel']);
  expect(released()).toContain('session-1');
  fake.answer('GET', () => problem(403, 'LEASE_REVOKED'));
  hls.askForKey(keyUrl(5));
  await settle();
  expect([video.sources, released()]).toEqual([[], expect.arrayContaining(['session-2'])]);
  await receiver('not-available');
  await receiver('available');
  expect(madeSessions()).toHaveLength(2);
});

it('a page that is left releases the session of the receiver, and destroy leaves nothing', async () => {
  await receiver('available');
  scene.leave('pagehide');
  await settle();
  expect(released()).toEqual(['lease-1', 'session-1']);
  await player.destroy();
  await receiver('available');
  await target(true, false);
  await fake.clock.advance(300_000);
  expect([madeSessions().length, video.sources]).toEqual([1, []]);
});

it('AirPlay works with an instance of hls.js that the application has attached before', async () => {
  await player.destroy();
  const own = new FakeHls();
  own.attachMedia(video);
  const attached = attach(own as never, { ...fake.options, airPlay: true });
  await settle();
  own.loadSource(playlist);
  await own.askForKey(keyUrl(1));
  own.trigger('FRAG_BUFFERED');
  await receiver('available');
  expect(video.sources).toHaveLength(1);
  own.destroy();
  await settle();
  expect(released()).toEqual(expect.arrayContaining(['session-1', 'lease-2']));
  expect(attached.lease).toBeNull();
});
