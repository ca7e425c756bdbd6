// The code that an application writes around the player. It records the events, for the test to read.
import Hls from 'hls.js';
import { attach, createPlayer } from '/player/index.js';
import { shakaRequestFilter } from '/player/shaka.js';

const video = document.querySelector('video');
const seen = {
  errors: [],
  retries: [],
  waits: [],
  leases: [],
  widths: [],
  stalls: 0,
  starved: 0,
  firstFrameMs: null,
  keyMs: [],
  loadMs: [],
  appendMs: [],
  ended: false,
};
let player;

const noteWait = (wait) => seen.waits.push({ ...wait, atMs: performance.now() });

const describe = ({ name, code, message, status, leases }) => ({ name, code, message, status, leases });

function listen() {
  player.on('error', (error) => seen.errors.push(describe(error)));
  player.on('retrying', ({ what, error }) => seen.retries.push({ what, code: error.code }));
  player.on('keyWait', noteWait);
  player.on('lease', (lease) => seen.leases.push(lease?.id ?? null));
  player.on('key', () => seen.keyMs.push(performance.now() - tokensMs.shift()));
}

/** Every instance of hls.js, also the one that the player makes when it loads. */
const { attachMedia } = Hls.prototype;
Hls.prototype.attachMedia = function attachAndListen(media) {
  if (!this.isHeard) {
    this.isHeard = true;
    this.on(Hls.Events.FRAG_LOADED, (_, { frag }) =>
      seen.loadMs.push(performance.now() - frag.stats.loading.start),
    );
    this.on(Hls.Events.BUFFER_APPENDING, (_, { frag }) =>
      seen.appendMs.push(performance.now() - frag.stats.loading.end),
    );
  }
  return attachMedia.call(this, media);
};

/** When the token of each pending key request was given. */
const tokensMs = [];

async function keyServerAuth({ reason }) {
  const token = await window.giveToken(reason);
  if (reason === 'key') tokensMs.push(performance.now());
  return token;
}

/** Mistakes of applications, by what the callback returns. */
const faultyCallbacks = {
  undefined: () => {},
  null: async () => null,
  'a number': () => 42,
  'an object': async () => ({ token: 'secret' }),
  'an error': () => {
    throw new Error('the shop is closed');
  },
};

/** The browser's clock, which the test can put forward. */
let aheadMs = 0;
const timers = new Set();
const clock = {
  now: () => performance.now() + aheadMs,
  wallNow: () => Date.now() + aheadMs,
  setTimeout(callback, delayMs) {
    const timer = { dueMs: clock.now() + delayMs, callback };
    timer.id = setTimeout(run, delayMs, timer);
    timers.add(timer);
    return timer;
  },
  clearTimeout(timer) {
    clearTimeout(timer?.id);
    timers.delete(timer);
  },
};

function run(timer) {
  clock.clearTimeout(timer);
  timer.callback();
}

/** Moves the clock forward, as if the machine had slept. No timer runs earlier. */
window.jump = (durationMs) => {
  aheadMs += durationMs;
};

/** Moves the clock forward and runs the timers that are due. Calls to the test have arrived when it resolves. */
window.letPass = async (durationMs) => {
  window.jump(durationMs);
  for (const timer of timers) if (timer.dueMs <= clock.now()) run(timer);
  await new Promise((resolve) => setTimeout(resolve));
  await window.reachTest();
};

/** Each creates the player and returns the function that loads. */
const ways = {
  create({ hlsConfig, ...options }) {
    player = createPlayer({ video, hlsConfig: { capLevelToPlayerSize: false, ...hlsConfig }, ...options });
    listen();
    return (playlist, contentId) => player.load(playlist, { ...(contentId && { contentId }) });
  },
  attach({ hlsConfig, ...options }) {
    const hls = new Hls(hlsConfig);
    player = attach(hls, options);
    listen();
    hls.attachMedia(video);
    window.hls = hls;
    return (playlist, contentId) => player.load(playlist, { ...(contentId && { contentId }) });
  },
  attachOnly(options) {
    ways.attach(options);
    return (playlist) => window.hls.loadSource(playlist);
  },
  async shaka({ hlsConfig, ...options }) {
    const { shaka } = window;
    shaka.polyfill.installAll();
    const shakaPlayer = new shaka.Player();
    await shakaPlayer.attach(video);
    // Without time limits: on a slow machine Shaka would repeat requests, and each key request has its own token.
    for (const what of ['manifest', 'streaming', 'drm'])
      shakaPlayer.configure(`${what}.retryParameters`, { timeout: 0, stallTimeout: 0, connectionTimeout: 0 });
    const filter = shakaRequestFilter({
      ...options,
      onError: (error) => seen.errors.push(describe(error)),
      onKeyWait: noteWait,
    });
    shakaPlayer.getNetworkingEngine().registerRequestFilter(filter);
    shakaPlayer.addEventListener('error', ({ detail }) =>
      seen.errors.push({ name: 'shaka', code: detail.code, message: detail.message }),
    );
    window.release = async () => {
      await shakaPlayer.destroy();
      await filter.release();
    };
    return (playlist) => shakaPlayer.load(playlist);
  },
};

/** @returns what `load()` threw, or null */
window.load = async ({ way = 'create', playlist, contentId, rate = 1, hasOwnTime, auth, ...options }) => {
  const load = await ways[way]({
    keyServerAuth: auth ? faultyCallbacks[auth] : keyServerAuth,
    ...(hasOwnTime && { clock }),
    ...options,
  });
  video.defaultPlaybackRate = rate;
  video.playbackRate = rate;
  window.loadAgain = async () => {
    // The player starts between these two readings. Its callback for the first frame runs between these two callbacks: it asks for
    // it once it has hls.js, which is before the video has metadata.
    const askedMs = performance.now();
    let shownMs;
    video.requestVideoFrameCallback(() => {
      shownMs = performance.now();
    });
    try {
      const loaded = load(playlist, contentId);
      const begunMs = performance.now();
      const noteLast = () =>
        video.requestVideoFrameCallback(() => {
          seen.firstFrameMs = { least: shownMs - begunMs, most: performance.now() - askedMs };
        });
      video.addEventListener('loadedmetadata', noteLast, { once: true });
      await loaded;
      return null;
    } catch (error) {
      return describe(error);
    }
  };
  return window.loadAgain();
};
window.player = () => player;

window.seen = () => ({
  ...seen,
  metrics: player?.getMetrics() ?? null,
  leaseId: player?.lease?.id ?? null,
  currentTime: video.currentTime,
  duration: video.duration,
  paused: video.paused,
  bufferedEnd: bufferedEnd(),
});

function bufferedEnd() {
  return video.buffered.length === 0 ? 0 : video.buffered.end(video.buffered.length - 1);
}

// Each rendition has its own width.
video.addEventListener('resize', () => seen.widths.push(video.videoWidth));
let isPlaying = false;
video.addEventListener('playing', () => {
  isPlaying = true;
});
// Waiting after a seek is not a stall: hls.js seeks over gaps.
for (const event of ['seeking', 'pause'])
  video.addEventListener(event, () => {
    isPlaying = false;
  });
video.addEventListener('waiting', () => {
  if (isPlaying && !video.ended) {
    seen.stalls++;
    // Otherwise there is something to show, and the machine is slow.
    if (bufferedEnd() - video.currentTime < 0.5) seen.starved++;
  }
  isPlaying = false;
});
video.addEventListener('ended', () => {
  seen.ended = true;
});
window.isReady = true;
