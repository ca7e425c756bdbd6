// Plays a film with @latchkey/player on hls.js, and with a token of this application for each key.
import { createPlayer, PlayerError } from '@latchkey/player';
import { viewerToken } from './application.js';
import { sayPlayerError } from './words.js';

/**
 * Seconds to load ahead. A player keeps the keys of what it has loaded, so a small value makes a revocation show soon. Without it,
 * hls.js loads 30.
 */
const bufferSeconds = 10;

/**
 * Makes a player for one film.
 *
 * @param {HTMLVideoElement} video
 * @param {{contentId: string, playlist: string}} film
 * @param {string} keyServerUrl
 * @param {{say: (words: string) => void, ended: (words: string) => void}} events
 *   `say`: what happens; `ended`: an error has ended the playback
 */
export function createFilmPlayer(video, film, keyServerUrl, { say, ended }) {
  const player = createPlayer({
    video,
    keyServerUrl,
    keyServerAuth: () => tokenFor(film.contentId),
    hlsConfig: { maxBufferLength: bufferSeconds, maxMaxBufferLength: bufferSeconds },
    reportMetrics: true,
  });
  const seconds = ({ delayMs }) => `Trying again in ${Math.ceil(delayMs / 1_000)} s.`;
  player.on('error', (error) => ended(sayPlayerError(error)));
  player.on('retrying', (wait) => say(`The key server does not answer. ${seconds(wait)}`));
  player.on('keyWait', (wait) => say(`The server has no key for this part yet. ${seconds(wait)}`));
  player.on('key', ({ status }) => status === 200 && say('Playing.'));

  return {
    film,
    async play() {
      try {
        await player.load(film.playlist, { contentId: film.contentId });
        await video.play();
      } catch (error) {
        // Errors of `load` also come as the event `error`. A browser that wants a click first rejects `play`.
        if (error.name === 'NotAllowedError') say('Press play in the video.');
        else if (!(error instanceof PlayerError) && error.name !== 'AbortError') ended(error.message);
      }
    },
    /** Ends the playback and gives the lease back, so that another device of the viewer may play. */
    stop: () => player.destroy(),
    lease: () => player.lease,
    metrics: () => player.getMetrics(),
  };
}

/** Called for each key. The application knows the viewer by a cookie, and decides anew each time. */
async function tokenFor(contentId) {
  try {
    return await viewerToken(contentId);
  } catch (error) {
    // A refusal by the application is final. Other failures may pass, so the player asks again.
    if (error.status === 401) throw new PlayerError('UNAUTHENTICATED', error.message);
    if (error.status === 403 || error.status === 404)
      throw new PlayerError('CONTENT_NOT_ENTITLED', error.message);
    throw error;
  }
}
