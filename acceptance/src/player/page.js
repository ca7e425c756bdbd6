// What an application writes around the player, and what it saw, for the test to read.
import Hls from 'hls.js';
import { attach, createPlayer } from '/player/index.js';
import { shakaRequestFilter } from '/player/shaka.js';

const video = document.querySelector('video');
const seen = { errors: [], retries: [], leases: [], widths: [], stalls: 0, firstFrameMs: null, ended: false };
let player;

const describe = ({ name, code, message, status, leases }) => ({ name, code, message, status, leases });

function listen() {
  player.on('error', (error) => seen.errors.push(describe(error)));
  player.on('retrying', ({ what, error }) => seen.retries.push({ what, code: error.code }));
  player.on('lease', (lease) => seen.leases.push(lease?.id ?? null));
}

/** Each makes the player and gives the function that loads. */
const ways = {
  create({ hlsConfig, ...options }) {
    player = createPlayer({ video, hlsConfig: { capLevelToPlayerSize: false, ...hlsConfig }, ...options });
    listen();
    return (playlist, contentId) => player.load(playlist, { contentId });
  },
  attach({ hlsConfig, ...options }) {
    const hls = new Hls(hlsConfig);
    player = attach(hls, options);
    listen();
    hls.attachMedia(video);
    window.hls = hls;
    return (playlist, contentId) => player.load(playlist, { contentId });
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
    const filter = shakaRequestFilter({
      ...options,
      onError: (error) => seen.errors.push(describe(error)),
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
window.load = async ({ way = 'create', playlist, contentId, rate = 1, ...options }) => {
  const keyServerAuth = ({ reason }) => window.giveToken(reason);
  const load = await ways[way]({ keyServerAuth, ...options });
  video.defaultPlaybackRate = rate;
  video.playbackRate = rate;
  window.loadAgain = async () => {
    const startMs = performance.now();
    video.requestVideoFrameCallback(() => {
      seen.firstFrameMs = performance.now() - startMs;
    });
    try {
      await load(playlist, contentId);
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
  bufferedEnd: video.buffered.length === 0 ? 0 : video.buffered.end(video.buffered.length - 1),
});

/** The picture's width, each time that it changes: the size tells the rendition. */
video.addEventListener('resize', () => seen.widths.push(video.videoWidth));
let isPlaying = false;
video.addEventListener('playing', () => {
  isPlaying = true;
});
video.addEventListener('waiting', () => {
  if (isPlaying && !video.ended) seen.stalls++;
  isPlaying = false;
});
video.addEventListener('ended', () => {
  seen.ended = true;
});
window.isReady = true;
