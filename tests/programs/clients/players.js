// The code that an application writes to play encrypted films with published players: one function for each player.
import Hls from '/hls.mjs';

const video = document.querySelector('video');
const fast = document.querySelector('#fast');
/** The errors, the refusals and the end, for the test to read. */
const report = { errors: [], ended: false, failed: false, refused: 0 };
const fail = (error) => {
  report.errors.push(String(error));
  report.failed = true;
};
const isKey = (url) => new URL(url, location.href).pathname.startsWith('/keys/');

/**
 * `place` names how the token gets to the key server: `header`, `cookie` (which this page's host has set), or undefined if it
 * is in the key URLs.
 *
 * @type {Record<string, (options: {url: string, token: string, place?: string, iFrames?: boolean,
 *   cacheKeys?: boolean}) => unknown>}
 */
const players = {
  hls({ url, token, place, iFrames }) {
    const hls = new Hls({
      xhrSetup(xhr, requested) {
        if (!isKey(requested)) return;
        xhr.open('GET', requested, true);
        if (place === 'header') xhr.setRequestHeader('Authorization', `Bearer ${token}`);
        xhr.withCredentials = place === 'cookie';
      },
    });
    hls.on(Hls.Events.ERROR, (_, { fatal, details, response }) => {
      if (fatal) fail(`${details} ${response?.code}`);
    });
    // It uses the times of the film, which are known once a segment is buffered.
    hls.once(Hls.Events.FRAG_BUFFERED, () => {
      if (!iFrames) return;
      const player = hls.createIFramePlayer();
      player.attachMedia(fast);
      player.once(Hls.Events.MEDIA_ATTACHED, () => player.loadMediaAt(7));
    });
    hls.loadSource(url);
    hls.attachMedia(video);
  },

  async shaka({ url, token, place, iFrames }) {
    const { shaka } = window;
    shaka.polyfill.installAll();
    const player = new shaka.Player();
    await player.attach(video);
    player.addEventListener('error', ({ detail }) => fail(`${detail.code} ${detail.data}`));
    player.getNetworkingEngine().registerRequestFilter((type, request) => {
      if (type !== shaka.net.NetworkingEngine.RequestType.KEY) return;
      if (place === 'header') request.headers.Authorization = `Bearer ${token}`;
      request.allowCrossSiteCredentials = place === 'cookie';
    });
    await player.load(url).catch((error) => fail(`${error.code} ${error.data}`));
    // The rate applies to the playhead. With the track, only I-frames are loaded.
    if (iFrames) player.trickPlay(4, true);
  },

  videojs({ url, token, place, cacheKeys }) {
    const player = window.videojs(video, {
      html5: { vhs: { overrideNative: true, cacheEncryptionKeys: cacheKeys ?? false } },
    });
    player.on('error', () => fail(player.error().message));
    player.on('xhr-hooks-ready', () =>
      player.tech().vhs.xhr.onRequest((options) => {
        if (!isKey(options.uri)) return options;
        if (place === 'header') options.headers = { ...options.headers, Authorization: `Bearer ${token}` };
        options.withCredentials = place === 'cookie';
        return options;
      }),
    );
    player.on('xhr-hooks-ready', () =>
      player.tech().vhs.xhr.onResponse((request, _error, response) => {
        if (isKey(request.uri) && response?.statusCode !== 200) report.refused++;
      }),
    );
    player.src({ src: url, type: 'application/vnd.apple.mpegurl' });
  },
};

window.play = async ({ player, rate = 8, ...options }) => {
  video.defaultPlaybackRate = rate;
  video.playbackRate = rate;
  video.addEventListener('ended', () => {
    report.ended = true;
  });
  await players[player](options);
  const shown = document.querySelector('video');
  shown.play().catch(() => {});
};

window.seen = () => ({
  ...report,
  currentTime: video.currentTime,
  duration: video.duration,
  pictures: video.getVideoPlaybackQuality().totalVideoFrames,
  fastWidth: fast.videoWidth,
});
