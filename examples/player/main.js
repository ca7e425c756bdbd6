// A page that plays. Each press of Play makes a player, which gets a token from the application for each key.
import { createPlayer, PlayerError } from '@latchkey/player';
import { loadConfig, viewerToken } from '/site/application.js';
import { showWho } from '/site/who.js';
import { sayError } from './say-error.js';
import { showMetrics } from './show-metrics.js';

const [video, status, lease, playButton, stopButton] = ['video', 'status', 'lease', 'play', 'stop'].map(
  (id) => document.getElementById(id),
);
/** The figures are updated this often. */
const tickMs = 500;

let config;
let player;

/** Gets a token from this application, which knows the viewer by a cookie. */
async function keyServerAuth() {
  const [{ contentId }] = config.contents;
  try {
    return await viewerToken(contentId);
  } catch (error) {
    // A refusal by the application is final. Other failures may pass, so the player asks again.
    if (error.status === 401) throw new PlayerError('UNAUTHENTICATED', error.message);
    if (error.status === 403) throw new PlayerError('CONTENT_NOT_ENTITLED', error.message);
    throw error;
  }
}

async function play() {
  await player?.destroy();
  const [{ contentId, playlist }] = config.contents;
  setPlaying(true);
  say('Getting a lease and the first key…');
  try {
    player = createPlayer({ video, keyServerUrl: config.keyServerUrl, keyServerAuth, reportMetrics: true });
    player.on('error', (error) => end(sayError(error)));
    player.on('retrying', ({ delayMs }) =>
      say(`The key server does not answer. Trying again in ${Math.ceil(delayMs / 1_000)} s.`),
    );
    player.on('keyWait', ({ delayMs }) =>
      say(`The server has no key for this part yet. Trying again in ${Math.ceil(delayMs / 1_000)} s.`),
    );
    player.on('key', ({ status: answer }) => answer === 200 && say('Playing.'));
    player.on('lease', showLease);
    await player.load(playlist, { contentId });
    await video.play();
  } catch (error) {
    // Errors of `load` also come as the event `error`. A browser that requires a click first rejects `play`.
    if (!(error instanceof PlayerError)) say(`Press play in the video: ${error.message}`);
    else if (error.code === 'UNSUPPORTED') end(sayError(error));
  }
}

/** Ends playback and releases the lease, so that another device of the viewer may play. */
async function stop() {
  stopButton.disabled = true;
  await player.destroy();
  setPlaying(false);
  showLease(null);
  say('Stopped. The lease is given back.');
}

function end(words) {
  setPlaying(false);
  showLease(null);
  say(words, 'bad');
}

function setPlaying(isPlaying) {
  playButton.disabled = isPlaying;
  stopButton.disabled = !isPlaying;
}

function say(words, tone = '') {
  status.dataset.tone = tone;
  if (status.textContent !== words) status.textContent = words;
}

function showLease(held) {
  const until = held && new Date(held.expiresAt).toLocaleTimeString([], { timeStyle: 'medium' });
  lease.textContent = held ? `${held.id}, renewed before ${until}` : 'none';
}

try {
  config = await loadConfig();
  document.getElementById('title').textContent = config.contents[0].title;
  const user = await showWho();
  say(user ? 'Ready.' : 'Choose who you are first.');
  playButton.disabled = false;
  playButton.addEventListener('click', play);
  stopButton.addEventListener('click', stop);
  video.addEventListener('ended', () => say('Played to the end.'));
  setInterval(() => showMetrics(player?.getMetrics()), tickMs);
  showMetrics();
} catch (error) {
  end(error.message);
}
