// The page of a viewer: the films, and a player for the chosen one.
import { byId, element, loadFilms, say, showUser } from './application.js';
import { createFilmPlayer } from './player.js';

const [video, list, title, facts, studio] = byId('video', 'films', 'title', 'facts', 'studio');
const [playButton, stopButton] = byId('play', 'stop');
/** The facts are updated this often. */
const tickMs = 500;

let keyServerUrl;
let chosen;
let player;
/** Counts presses of Play and Stop: a later one replaces one that still waits. */
let turn = 0;

const metrics = () => player?.metrics();
const milliseconds = (value) => value && `${Math.round(value)} ms`;
const lines = [
  ['Lease', () => player?.lease() && `${player.lease().id.slice(0, 8)}…`],
  ['Renewed before', () => player?.lease() && new Date(player.lease().expiresAt).toLocaleTimeString()],
  ['Keys fetched', () => metrics()?.keyFetchCount],
  ['A key takes', () => milliseconds(metrics()?.avgKeyFetchTime)],
  ['Segments', () => metrics()?.fragmentsLoaded],
  ['First picture after', () => milliseconds(metrics()?.timeToFirstFrame)],
  ['Stalls', () => metrics()?.stallCount],
].map(([label, read]) => ({ label, read, value: element('dd', '–') }));

function showFacts() {
  for (const { value, read } of lines) value.textContent = read() ?? '–';
}

function choose(film) {
  chosen = film;
  title.textContent = film.title;
  for (const button of list.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(button.dataset.content === film.contentId));
}

async function play() {
  const mine = ++turn;
  const film = chosen;
  playButton.disabled = true;
  stopButton.disabled = false;
  say('Getting a lease and the first key…');
  try {
    // The player of the same film goes on where an error has ended it.
    if (player?.film !== film) {
      await player?.stop();
      if (mine !== turn) return;
      player = createFilmPlayer(video, film, keyServerUrl, { say, ended });
    }
    await player.play();
  } catch (error) {
    // This browser cannot play HLS.
    ended(error.message);
  }
}

async function stop() {
  const mine = ++turn;
  const before = player;
  player = undefined;
  stopButton.disabled = true;
  await before?.stop();
  if (mine !== turn) return;
  playButton.disabled = false;
  playButton.focus();
  say('Stopped. The lease is given back.');
}

function ended(words) {
  playButton.disabled = false;
  stopButton.disabled = true;
  say(words, 'bad');
}

function entryOf(film) {
  const button = element('button', '', { type: 'button', className: 'film' });
  button.dataset.content = film.contentId;
  button.append(element('strong', film.title));
  if (film.isLive) button.append(element('span', 'Live', { className: 'badge' }));
  if (!film.isForSubscribers) button.append(element('span', 'Not for subscribers', { className: 'badge' }));
  button.addEventListener('click', () => {
    choose(film);
    play();
  });
  const item = element('li', '');
  item.append(button);
  return item;
}

try {
  const answer = await loadFilms();
  keyServerUrl = answer.keyServerUrl;
  showUser(answer.user);
  studio.hidden = !answer.user.isAdmin;
  for (const { label, value } of lines) {
    const line = element('div', '');
    line.append(element('dt', label), value);
    facts.append(line);
  }
  list.append(...answer.films.map(entryOf));
  const wanted = new URLSearchParams(location.search).get('film');
  const film = wanted ? answer.films.find(({ contentId }) => contentId === wanted) : answer.films[0];
  if (film) choose(film);
  playButton.disabled = !chosen;
  playButton.addEventListener('click', play);
  stopButton.addEventListener('click', stop);
  video.addEventListener('ended', () => say('Played to the end.'));
  setInterval(showFacts, tickMs);
  const nothing = wanted ? 'This film is not part of what you may watch.' : 'There is no film for you yet.';
  say(film ? 'Ready.' : nothing);
} catch (error) {
  say(error.message, 'bad');
}
