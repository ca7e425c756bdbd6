// The code that an application writes to play DASH with Clear Key licences. The players find the licence URL in the manifest.
import * as dashjs from '/dash.mjs';

const video = document.querySelector('video');
/** The errors and the end, for the test to read. */
const report = { errors: [], ended: false, failed: false };
const fail = (error) => {
  report.errors.push(String(error));
  report.failed = true;
};

/** @type {Record<string, (options: {url: string, headers: Record<string, string>}) => unknown>} */
const players = {
  async shaka({ url, headers }) {
    const { shaka } = window;
    shaka.polyfill.installAll();
    const player = new shaka.Player();
    await player.attach(video);
    const { RequestType } = shaka.net.NetworkingEngine;
    player.getNetworkingEngine().registerRequestFilter((type, request) => {
      // The second one is for HLS.
      if (type === RequestType.LICENSE || type === RequestType.KEY) Object.assign(request.headers, headers);
    });
    player.addEventListener('error', ({ detail }) => fail(`${detail.code} ${detail.data}`));
    await player.load(url).catch((error) => fail(`${error.code} ${error.data}`));
  },

  dashjs({ url, headers }) {
    const player = dashjs.MediaPlayer().create();
    player.on('error', ({ error }) => fail(`${error.code} ${error.message}`));
    player.initialize(video, url, true);
    // With cookies, as by its default, a key server that takes none is refused by the browser.
    const license = { httpRequestHeaders: headers, withCredentials: false };
    player.setProtectionData({ 'org.w3.clearkey': license });
  },
};

window.play = async ({ player, ...options }) => {
  video.defaultPlaybackRate = 8;
  video.playbackRate = 8;
  video.addEventListener('ended', () => {
    report.ended = true;
  });
  const start = () => video.play().catch(() => {});
  // Attaching a source interrupts a start that was asked for before it.
  video.addEventListener('canplay', start, { once: true });
  await players[player](options);
  start();
};

window.seen = () => ({
  ...report,
  currentTime: video.currentTime,
  paused: video.paused,
  readyState: video.readyState,
  pictures: video.getVideoPlaybackQuality().totalVideoFrames,
});
