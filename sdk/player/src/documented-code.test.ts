import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPlayer } from './player.ts';
import { asVideo, FakeHls } from './testing/fake-browser.ts';
import { playUrl, problem } from './testing/fake-key-server.ts';
import { settle } from './testing/manual-clock.ts';
import { createPlayerScene, load, type PlayerScene } from './testing/player-scene.ts';
import './remote.ts';

// Runs the code of docs/start/remote-playback.md with the player, and with stand-ins for Safari and for Cast's library.
const document = readFileSync(new URL('../../../docs/start/remote-playback.md', import.meta.url), 'utf8');

/** The code below a heading of the document. */
function codeOf(heading: string): string {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  const code = /^```js\n(.*?)^```/ms.exec(section ?? '')?.[1];
  if (code === undefined) throw new Error(`docs/start/remote-playback.md has no code below "${heading}"`);
  return code;
}

/** Runs code in which these names are known. */
function run(code: string, names: Record<string, unknown>): Promise<unknown> {
  const AsyncFunction = (async () => {}).constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<unknown>;
  return new AsyncFunction(...Object.keys(names), code)(...Object.values(names));
}

let scene: PlayerScene;
beforeEach(() => {
  scene = createPlayerScene();
});
afterEach(() => vi.unstubAllGlobals());

it('the code of the document offers AirPlay, says where the video plays, and opens Safari’s list of receivers', async () => {
  const { fake, video } = scene;
  vi.stubGlobal('WebKitPlaybackTargetAvailabilityEvent', class {});
  vi.stubGlobal('document', { createElement: () => ({ remove() {} }) });
  const said: string[] = [];
  const airPlayButton = { onclick: () => {} };
  const opened = vi.fn();
  Object.assign(video, { webkitShowPlaybackTargetPicker: opened });
  let hls: FakeHls | undefined;
  const done = run(codeOf('AirPlay'), {
    ...{ video: asVideo(video), keyServerUrl: fake.options.keyServerUrl, airPlayButton },
    keyServerAuth: fake.options.keyServerAuth,
    show: (text: string) => said.push(text),
    createPlayer(options: Parameters<typeof createPlayer>[0]) {
      const player = createPlayer({ ...fake.options, ...options, Hls: FakeHls as never });
      hls = player.hls as unknown as FakeHls;
      return player;
    },
  });
  await settle();
  hls?.trigger('MANIFEST_PARSED');
  await done;
  hls?.trigger('FRAG_BUFFERED');
  const available = Object.assign(new Event('webkitplaybacktargetavailabilitychanged'), {
    availability: 'available',
  });
  video.dispatchEvent(available);
  await settle();
  expect(video.sources).toMatchObject([{ src: playUrl('session-1') }]);
  airPlayButton.onclick();
  expect(opened).toHaveBeenCalledTimes(1);
  fake.answer('POST /keys/sessions', () => problem(409, 'LEASE_LIMIT_REACHED'));
  for (const isWireless of [true, false]) {
    // hls.js detaches when Safari closes its media source.
    if (hls) hls.media = null;
    video.webkitCurrentPlaybackTargetIsWireless = isWireless;
    video.emit('webkitcurrentplaybacktargetiswirelesschanged');
    await fake.clock.advance(2_000);
  }
  expect(said).toEqual(['Plays on the receiver.', 'Plays here.', 'Stop another device to use AirPlay.']);
});

/** The parts of Cast's library that the code uses (https://developers.google.com/cast/docs/web_sender). */
function standInForCast() {
  const loaded: { media: object; currentTime?: number }[] = [];
  const listeners: ((event: { sessionState: string }) => unknown)[] = [];
  const context = {
    setOptions: vi.fn(),
    addEventListener: (_: string, listener: (typeof listeners)[number]) => listeners.push(listener),
    getCurrentSession: () => ({
      loadMedia: async (request: (typeof loaded)[number]) => loaded.push(request),
    }),
  };
  class MediaInfo {
    readonly contentId: string;
    readonly contentType: string;
    constructor(contentId: string, contentType: string) {
      this.contentId = contentId;
      this.contentType = contentType;
    }
  }
  class LoadRequest {
    readonly media: object;
    constructor(media: object) {
      this.media = media;
    }
  }
  const media = {
    ...{ MediaInfo, LoadRequest, DEFAULT_MEDIA_RECEIVER_APP_ID: 'CC1AD845' },
    HlsVideoSegmentFormat: { MPEG2_TS: 'mpeg2_ts', FMP4: 'fmp4' },
  };
  const framework = {
    CastContext: { getInstance: () => context },
    CastContextEventType: { SESSION_STATE_CHANGED: 'sessionstatechanged' },
    SessionState: { SESSION_STARTED: 'SESSION_STARTED', SESSION_ENDED: 'SESSION_ENDED' },
  };
  const chrome = { cast: { media, AutoJoinPolicy: { ORIGIN_SCOPED: 'origin_scoped' } } };
  const become = (sessionState: string) =>
    Promise.all(listeners.map((listener) => listener({ sessionState })));
  return { cast: { framework }, chrome, context, loaded, become };
}

it('the code of the document gives Cast’s default receiver the URL of a session, and releases it at the end', async () => {
  const { fake, video } = scene;
  const { player } = scene.open();
  await load(player);
  video.currentTime = 90;
  const { cast, chrome, context, loaded, become } = standInForCast();
  await run(codeOf('Cast'), { cast, chrome, player, video });
  expect(context.setOptions).toHaveBeenCalledWith({
    receiverApplicationId: 'CC1AD845',
    autoJoinPolicy: 'origin_scoped',
  });
  await become('SESSION_STARTING');
  expect(fake.to('POST /keys/sessions')).toEqual([]);
  await become('SESSION_STARTED');
  const media = { contentId: playUrl('session-1'), contentType: 'application/vnd.apple.mpegurl' };
  expect(loaded).toMatchObject([{ media: { ...media, hlsVideoSegmentFormat: 'mpeg2_ts' }, currentTime: 90 }]);
  expect(video.paused).toBe(true);
  await become('SESSION_ENDED');
  expect(fake.to('POST /keys/leases/revoke')).toMatchObject([{ json: { leaseId: 'session-1' } }]);
});
