// The code that an application writes to play through a key server: credentials on key requests, and a stop at a refusal.
import Hls from '/hls.mjs';

const video = document.querySelector('video');
/** The errors and the end that the player saw, for the test to read. */
const report = { errors: [], ended: false, stopped: false };

/**
 * @param {{playlist: string, keyServer: string, token: string, leaseId: string, stopsOnRefusal: boolean,
 *   rate: number}} options
 */
window.play = ({ playlist, keyServer, token, leaseId, stopsOnRefusal, rate }) => {
  const hls = new Hls({
    // Two segments ahead: the key of the next period is requested while this one plays.
    maxBufferLength: 4,
    maxMaxBufferLength: 4,
    enableWorker: false,
    xhrSetup(xhr, url) {
      if (!url.startsWith(`${keyServer}/keys/`)) return;
      xhr.open('GET', url, true);
      xhr.setRequestHeader('Authorization', `Bearer ${token}`);
      xhr.setRequestHeader('X-Lease-Id', leaseId);
    },
  });
  hls.on(Hls.Events.ERROR, (_, { type, details, fatal, response }) => {
    report.errors.push({ type, details, fatal, status: response?.code });
    const refused =
      details === Hls.ErrorDetails.KEY_LOAD_ERROR && response?.code >= 400 && response.code < 500;
    if (refused && stopsOnRefusal) hls.stopLoad();
    // Errors that follow, such as a stall because the key is missing, change nothing.
    report.stopped ||= fatal || (refused && stopsOnRefusal);
  });
  hls.loadSource(playlist);
  hls.attachMedia(video);
  video.defaultPlaybackRate = rate;
  video.playbackRate = rate;
  return video.play();
};

const bufferedEnd = () => (video.buffered.length === 0 ? 0 : video.buffered.end(video.buffered.length - 1));

window.seen = () => ({
  ...report,
  // Nothing is buffered that could be shown. A machine that is only slow has something in its buffer.
  starved: video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA && bufferedEnd() - video.currentTime < 0.25,
  bufferedEnd: bufferedEnd(),
  currentTime: video.currentTime,
  duration: video.duration,
  frames: video.getVideoPlaybackQuality().totalVideoFrames,
});

video.addEventListener('ended', () => {
  report.ended = true;
});
