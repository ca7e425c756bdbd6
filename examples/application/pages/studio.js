// The page of an administrator: who watches, a button that revokes, and a form that adds a film.
import { byId, element, loadFilms, loadPlaybacks, revoke, say, showUser } from './application.js';
import { addFilm, readFolder, sayResult } from './uploader.js';

const [watching, heading, nobody] = byId('watching', 'watching-title', 'nobody');
const [noBucket, status] = byId('no-bucket', 'status');
const [form, folderInput, title, forSubscribers] = byId('form', 'folder', 'film-title', 'for-subscribers');
const [uploadButton, abortButton] = byId('upload', 'abort');
const [bar, count, uploadStatus] = byId('progress', 'count', 'upload-status');
/** The list of playbacks is updated this often. */
const tickMs = 2_000;

let films = [];
let keyServerUrl;
let folder;
let controller;

async function showPlaybacks() {
  try {
    const { playbacks, canUpload } = await loadPlaybacks();
    form.hidden = !canUpload;
    noBucket.hidden = canUpload;
    nobody.hidden = playbacks.length > 0;
    const ids = playbacks.map(({ leaseId }) => leaseId);
    for (const item of [...watching.children]) if (!ids.includes(item.dataset.lease)) item.remove();
    const shown = [...watching.children].map((item) => item.dataset.lease);
    watching.append(...playbacks.filter(({ leaseId }) => !shown.includes(leaseId)).map(entryOf));
    if (status.dataset.tone !== 'good') say('');
  } catch (error) {
    say(error.message, 'bad');
  }
  setTimeout(showPlaybacks, tickMs);
}

function entryOf({ leaseId, viewerId, contentId, since }) {
  const film = films.find((one) => one.contentId === contentId);
  const what = film?.title ?? contentId;
  const button = element('button', 'Revoke', { type: 'button', className: 'danger' });
  button.setAttribute('aria-label', `Revoke ${viewerId} watching ${what}`);
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await revoke(leaseId);
      item.remove();
      // The focus would be lost with the button.
      heading.focus();
      nobody.hidden = watching.children.length > 0;
      say(`Revoked: ${viewerId} gets no further key of ${what}.`, 'good');
    } catch (error) {
      button.disabled = false;
      say(error.message, 'bad');
    }
  });
  const item = element('li', '');
  item.dataset.lease = leaseId;
  const words = element('p', '');
  const time = new Date(since).toLocaleTimeString([], { timeStyle: 'short' });
  words.append(
    element('strong', viewerId),
    ` watches ${what} `,
    element('span', `since ${time}`, { className: 'quiet' }),
  );
  item.append(words, button);
  return item;
}

function sayUpload(words, tone = '') {
  uploadStatus.dataset.tone = tone;
  uploadStatus.replaceChildren(words);
}

async function look() {
  folder = undefined;
  uploadButton.disabled = true;
  bar.value = 0;
  count.textContent = '';
  if (folderInput.files.length === 0) return sayUpload('Pick a folder.');
  try {
    folder = await readFolder(folderInput.files);
    title.value ||= folder.contentId;
    uploadButton.disabled = false;
    sayUpload(`${folder.files.length} encrypted files of ${folder.contentId}.`);
  } catch (error) {
    sayUpload(error.message, 'bad');
  }
}

async function add(event) {
  event.preventDefault();
  if (!folder) return;
  controller = new AbortController();
  setBusy(true);
  sayUpload('Uploading…');
  try {
    const about = { title: title.value, isForSubscribers: forSubscribers.checked };
    const result = await addFilm(folder, about, {
      keyServerUrl,
      onProgress: showProgress,
      signal: controller.signal,
    });
    sayUpload(sayResult(result), result.complete || controller.signal.aborted ? '' : 'bad');
    if (!result.complete) return;
    const href = `/?film=${encodeURIComponent(folder.contentId)}`;
    uploadStatus.append(' ', element('a', `Watch ${about.title}`, { href }));
    ({ films } = await loadFilms());
  } catch (error) {
    sayUpload(error.message, 'bad');
  } finally {
    setBusy(false);
  }
}

function showProgress({ loadedBytes, totalBytes, filesDone, filesTotal }) {
  bar.value = totalBytes === 0 ? 1 : loadedBytes / totalBytes;
  count.textContent = `${filesDone} of ${filesTotal} files, ${(totalBytes / 1e6).toFixed(1)} MB`;
}

function setBusy(isBusy) {
  uploadButton.disabled = isBusy;
  folderInput.disabled = isBusy;
  abortButton.disabled = !isBusy;
}

try {
  const answer = await loadFilms();
  ({ films, keyServerUrl } = answer);
  showUser(answer.user);
  folderInput.addEventListener('change', look);
  form.addEventListener('submit', add);
  abortButton.addEventListener('click', () => controller.abort());
  await look();
  await showPlaybacks();
} catch (error) {
  say(error.message, 'bad');
}
