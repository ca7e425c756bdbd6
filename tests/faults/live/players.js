// Plays live channels side by side with published players, and counts what a viewer would notice.
import Hls from 'hls.js';
import { attach } from '/player/index.js';
import { shakaRequestFilter } from '/player/shaka.js';

const lookEveryMs = 100;
/** Of each player by its name: what was seen, its video, and the time of day of the shown picture. */
const playing = new Map();
const picturesOf = (video) => video.getVideoPlaybackQuality().totalVideoFrames;
const isKey = (url) => new URL(url, location.href).pathname.startsWith('/keys/');

function playHls({ video, url, report }, hls, load) {
  hls.on(Hls.Events.ERROR, (_, { fatal, details, response }) => {
    report.errors.push(`${fatal ? 'fatal ' : ''}${details} ${response?.code ?? ''}`.trim());
  });
  hls.attachMedia(video);
  load(url);
  return { dateMs: () => hls.playingDate?.getTime(), end: () => hls.destroy() };
}

async function playShaka({ video, url, report }, filterFor) {
  const { shaka } = window;
  shaka.polyfill.installAll();
  const player = new shaka.Player();
  await player.attach(video);
  player.addEventListener('error', ({ detail }) => report.errors.push(`fatal ${detail.code}`));
  player.getNetworkingEngine().registerRequestFilter(filterFor(shaka, player));
  await player.load(url).catch((error) => report.errors.push(`fatal ${error.code} ${error.data}`));
  return { dateMs: () => player.getPlayheadTimeAsDate()?.getTime(), end: () => player.destroy() };
}

/** As docs/clients.md shows the published players, and sdk/player/README.md the package. */
const kinds = {
  'hls.js'(options) {
    const hls = new Hls({
      xhrSetup(xhr, requested) {
        if (!isKey(requested)) return;
        xhr.open('GET', requested, true);
        xhr.setRequestHeader('Authorization', `Bearer ${options.token}`);
      },
    });
    return playHls(options, hls, (url) => hls.loadSource(url));
  },

  'Shaka Player': (options) =>
    playShaka(options, (shaka) => (type, request) => {
      if (type !== shaka.net.NetworkingEngine.RequestType.KEY) return;
      request.headers.Authorization = `Bearer ${options.token}`;
    }),

  'hls.js with attach()'(options) {
    const { keyServerUrl, token, contentId, report } = options;
    const hls = new Hls();
    const player = attach(hls, { keyServerUrl, keyServerAuth: () => token, contentId });
    player.on('error', (error) => report.errors.push(`fatal ${error.code}`));
    return playHls(options, hls, (url) => player.load(url, { contentId }).catch(() => {}));
  },

  'Shaka Player with the filter': (options) =>
    playShaka(options, (_, shakaPlayer) => {
      const { keyServerUrl, token, contentId, video, report } = options;
      const onError = (error) => {
        report.errors.push(`fatal ${error.code}`);
        shakaPlayer.unload();
      };
      return shakaRequestFilter({ keyServerUrl, keyServerAuth: () => token, contentId, video, onError });
    }),
};

/**
 * Starts to count with the first picture: what comes before is the start, and not a stall. The time of a player can go on without
 * a picture, so both must.
 */
function count(video, report) {
  let last = { time: 0, pictures: 0, atMs: 0 };
  const look = () => {
    const nowMs = performance.now();
    const now = { time: video.currentTime, pictures: picturesOf(video), atMs: nowMs };
    report.standstillMs = Math.max(report.standstillMs, nowMs - last.atMs);
    if (now.time !== last.time && now.pictures !== last.pictures) last = now;
    report.mediaSeconds = video.currentTime - report.startTime;
    report.wallSeconds = (nowMs - report.startMs) / 1_000;
  };
  const note = (event) => {
    report.interruptions++;
    report.notes.push(`${event.type} at ${report.wallSeconds.toFixed(1)} s`);
  };
  video.addEventListener(
    'playing',
    () => {
      last = { time: video.currentTime, pictures: picturesOf(video), atMs: performance.now() };
      Object.assign(report, { startTime: video.currentTime, startMs: last.atMs });
      for (const type of ['waiting', 'stalled', 'seeking', 'ended']) video.addEventListener(type, note);
      setInterval(look, lookEveryMs);
    },
    { once: true },
  );
}

window.start = async ({ name, kind, ...options }) => {
  const video = document.createElement('video');
  Object.assign(video, { muted: true, playsInline: true, autoplay: true, width: 160 });
  document.body.append(video);
  const report = {
    errors: [],
    notes: [],
    interruptions: 0,
    standstillMs: 0,
    mediaSeconds: 0,
    wallSeconds: 0,
  };
  count(video, report);
  playing.set(name, { report, video, dateMs: () => undefined, end: () => undefined });
  const { dateMs, end } = await kinds[kind]({ ...options, video, report });
  playing.set(name, { report, video, dateMs, end });
  video.play().catch(() => {});
};

window.read = (name) => {
  const { report, video, dateMs } = playing.get(name);
  return { ...report, currentTime: video.currentTime, pictures: picturesOf(video), dateMs: dateMs() };
};

window.end = async (name) => {
  const { end, video } = playing.get(name);
  playing.delete(name);
  await end();
  video.remove();
};
