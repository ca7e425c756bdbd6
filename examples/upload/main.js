// A page that uploads a folder, with progress, abort and resume.
import { filesFromList, upload } from '@latchkey/uploader';
import { loadConfig, uploadToken } from '/site/application.js';
import { showWho } from '/site/who.js';
import { sayError, sayStatus } from './say-result.js';

const [folder, startButton, abortButton, status, bar, count, list] = [
  'folder',
  'start',
  'abort',
  'status',
  'progress',
  'count',
  'files',
].map((id) => document.getElementById(id));

let config;
let controller;

async function start() {
  const [{ contentId }] = config.contents;
  const files = filesFromList(folder.files);
  controller = new AbortController();
  setBusy(true);
  say('Uploading…');
  showFiles(files.map(({ path }) => ({ path })));
  const result = await upload(files, {
    keyServerUrl: config.keyServerUrl,
    contentId,
    // Called for each file, so a token need not last long.
    auth: () => uploadToken(contentId),
    onProgress: showProgress,
    signal: controller.signal,
  });
  setBusy(false);
  showFiles(result.files);
  conclude(result);
}

function conclude({ files, complete }) {
  const number = (wanted) => files.filter(({ status: one }) => one === wanted).length;
  const [uploaded, skipped, failed] = ['uploaded', 'skipped', 'failed'].map(number);
  const were = `${uploaded} uploaded, ${skipped} there already`;
  startButton.textContent = complete ? 'Upload' : 'Resume';
  if (complete) return say(`Everything is in the bucket: ${were}.`);
  if (failed === 0) return say(`Aborted: ${were}. Resume goes on here, also after a reload of the page.`);
  const errors = files.flatMap(({ error }) => error ?? []);
  // Playlists fail because another file failed, and that error is the cause.
  const cause = errors.find(({ code }) => code !== 'NAMED_FILE_MISSING') ?? errors[0];
  const reason = sayError(cause);
  say(`${failed} of ${files.length} files failed (${were}). ${reason}`, 'bad');
}

function showProgress({ loadedBytes, totalBytes, filesDone, filesTotal }) {
  bar.value = totalBytes === 0 ? 1 : loadedBytes / totalBytes;
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
  count.textContent = `${megabytes(loadedBytes)} of ${megabytes(totalBytes)} MB, ${filesDone} of ${filesTotal} files`;
}

function showFiles(files) {
  list.parentElement.hidden = files.length === 0;
  list.replaceChildren(
    ...files.map((file) => {
      const item = document.createElement('li');
      item.dataset.state = file.status ?? 'waiting';
      const texts = [file.path, sayStatus(file)];
      item.append(
        ...texts.map((textContent) => Object.assign(document.createElement('span'), { textContent })),
      );
      return item;
    }),
  );
}

function setBusy(isBusy) {
  startButton.disabled = isBusy || folder.files.length === 0;
  folder.disabled = isBusy;
  abortButton.disabled = !isBusy;
}

function say(words, tone = '') {
  status.dataset.tone = tone;
  status.textContent = words;
}

/** Shows the files of the chosen folder. */
function look() {
  const files = filesFromList(folder.files);
  setBusy(false);
  startButton.textContent = 'Upload';
  bar.value = 0;
  count.textContent = '';
  showFiles(files);
  say(files.length === 0 ? 'Pick a folder.' : `${files.length} files. Press Upload.`);
}

try {
  config = await loadConfig();
  const [{ contentId }] = config.contents;
  document.getElementById('target').textContent = `content/${contentId}/`;
  await showWho();
  folder.addEventListener('change', look);
  startButton.addEventListener('click', () => start().catch(({ message }) => say(message, 'bad')));
  abortButton.addEventListener('click', () => controller.abort());
  look();
} catch (error) {
  say(error.message, 'bad');
}
