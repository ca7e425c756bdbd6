// The page. Each session has a token, a lease and a player of its own.
import { issueToken, loadConfig, revokeLease } from './application.js';
import { canPlay, playWithKeys } from './key-player.js';
import { takeLease } from './lease.js';
import { layOut, showLease, showPeriods, showPosition, showSession } from './view.js';

const video = document.getElementById('video');
const startButton = document.getElementById('start');
const revokeButton = document.getElementById('revoke');
/** This page is a device of its own: the same viewer in another tab has another lease. */
const deviceId = crypto.randomUUID();
const tickMs = 250;

let config;
/** The session on the screen. Callbacks of earlier sessions are ignored. */
let session;

const phases = {
  idle: () => ({ status: 'Ready.', cover: 'Ready.', button: 'Play' }),
  starting: () => ({ status: 'Getting a token and a lease…', cover: '', button: undefined }),
  playing: () => ({ status: 'Playing.', cover: '', button: undefined }),
  revoked: () => ({
    status: 'Lease revoked. The player goes on with the keys it holds; it will get no other.',
    cover: '',
    button: undefined,
  }),
  refused: ({ refusal }) => ({
    status: `The key of period ${refusal.period} was refused: ${refusal.code}. Playback stops when the buffered period ends.`,
    cover: '',
    button: undefined,
  }),
  stopped: ({ refusal }) => ({
    status: `Stopped. The key of period ${refusal.period} was refused: ${refusal.code}.`,
    cover: `No key for period ${refusal.period}.`,
    button: 'Start again',
  }),
  ended: ({ holder }) => ({
    status:
      holder?.lease.state === 'revoked'
        ? 'Played to the end: the player already held the last key when the lease was revoked.'
        : 'Played to the end.',
    cover: 'The end.',
    button: 'Start again',
  }),
  failed: ({ failure }) => ({ status: failure, cover: 'That did not work.', button: 'Start again' }),
};

function enter(phase) {
  session.phase = phase;
  showSession({ phase, ...phases[phase](session) });
}

/** The packaging that is chosen. */
function chosen() {
  const id = document.querySelector('input[name="presentation"]:checked')?.value;
  return config.presentations.find((one) => one.id === id);
}

/** The place of a key period. A live channel has more periods than places: a later one takes the place of an earlier one. */
function placeOf(number) {
  const place = session.periods[session.live ? number % session.periods.length : number];
  if (place && place.number !== number) {
    for (const member of Object.keys(place)) delete place[member];
    Object.assign(place, { number, state: 'none' });
  }
  return place ?? {};
}

function newSession() {
  const count = Math.ceil(config.seconds / config.periodSeconds);
  return {
    phase: 'idle',
    periods: Array.from({ length: count }, (_, number) => ({ number, state: 'none' })),
    live: chosen()?.live,
    holder: undefined,
    player: undefined,
    refusal: undefined,
    failure: undefined,
  };
}

function close() {
  session.player?.destroy();
  session.holder?.release();
}

async function start() {
  close();
  const mine = newSession();
  session = mine;
  enter('starting');
  show();
  const presentation = chosen();
  try {
    const holder = await takeLease({
      keyServer: config.keyServer,
      contentId: presentation.contentId,
      deviceId,
      issueToken: () => issueToken(presentation.id),
      onChange: () => mine === session && show(),
    });
    if (mine !== session) return holder.release();
    mine.holder = holder;
    mine.player = playWithKeys({
      video,
      playlist: presentation.playlist,
      keyServer: config.keyServer,
      credentials: holder.credentials,
      onAsk: (period) => mine === session && ask(period),
      onKey: (request) => mine === session && takeKey(request),
      onFatal: (details) => mine === session && fail(details),
    });
    show();
    await video.play();
  } catch (error) {
    // A player that is replaced while it starts rejects with an AbortError, which is not a failure.
    if (mine !== session || error.name === 'AbortError') return;
    if (error.name === 'NotAllowedError') return enter('playing');
    close();
    mine.failure = `It did not start: ${error.message}`;
    enter('failed');
  }
}

function ask(number) {
  Object.assign(placeOf(number), { state: 'asking' });
  show();
}

function takeKey({ period: number, status, code, durationMs }) {
  const state = status === 200 ? 'held' : 'refused';
  Object.assign(placeOf(number), { state, status, code, durationMs, at: new Date() });
  if (status >= 400 && status < 500) {
    session.refusal ??= { period: number, code: code ?? status };
    if (code === 'LEASE_REVOKED') session.holder.markRevoked();
    if (session.phase !== 'stopped') enter('refused');
    stopIfStarved();
  }
  show();
}

function fail(details) {
  session.failure = `The player gave up (${details}). Is the key server running?`;
  enter('failed');
}

/** The buffer is empty, and the next key was refused. */
function stopIfStarved() {
  if (session.phase === 'refused' && !video.paused && video.readyState < HTMLMediaElement.HAVE_FUTURE_DATA) {
    enter('stopped');
  }
}

async function revoke() {
  const { holder } = session;
  revokeButton.disabled = true;
  try {
    await revokeLease(holder.lease.id);
    holder.markRevoked();
    if (session.holder === holder && session.phase === 'playing') enter('revoked');
  } catch (error) {
    session.failure = `It was not revoked: ${error.message}`;
    showSession({ phase: session.phase, status: session.failure, cover: '', button: undefined });
  }
  show();
}

function show() {
  showLease(session.holder?.lease);
  showPeriods(session.periods, config, session.live);
  showPosition(positionOf());
}

/** @returns the fraction of the strip. Live: the key period of now */
function positionOf() {
  if (!session.live) return video.currentTime / config.seconds;
  const { length } = session.periods;
  return (((Date.now() - session.live.origin) / 1_000 / config.periodSeconds) % length) / length;
}

function listen() {
  startButton.addEventListener('click', () => {
    const hadFocus = document.activeElement === startButton;
    start();
    // The button disappears, so keyboard focus moves to the video.
    if (hadFocus) video.focus();
  });
  revokeButton.addEventListener('click', revoke);
  document.getElementById('choice').addEventListener('change', () => {
    const wasRunning = !['idle', 'stopped', 'ended', 'failed'].includes(session.phase);
    if (wasRunning) start();
  });
  video.addEventListener('playing', () => {
    if (session.phase === 'starting') enter('playing');
    if (session.phase === 'stopped') enter('refused');
  });
  video.addEventListener('waiting', stopIfStarved);
  video.addEventListener('timeupdate', stopIfStarved);
  video.addEventListener('ended', () => {
    session.holder?.release();
    enter('ended');
  });
  window.addEventListener('pagehide', close);
  setInterval(show, tickMs);
}

try {
  config = await loadConfig();
  session = newSession();
  layOut(config, session.periods);
  if (canPlay()) {
    enter('idle');
    listen();
  } else {
    session.failure = 'This browser has no Media Source Extensions, which the player of this page needs.';
    showSession({ phase: 'failed', status: session.failure, cover: session.failure, button: undefined });
  }
  show();
} catch (error) {
  document.getElementById('status').textContent = `Nothing to play: ${error.message}`;
}
