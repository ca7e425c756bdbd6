// Adds a film: registers the content, and uploads the encrypted files with @latchkey/uploader.
import { filesFromList, upload } from '@latchkey/uploader';
import { publishFilm, registerFilm, uploadToken } from './application.js';
import { sayUploadError } from './words.js';

/**
 * Reads what a folder of `latchkey encrypt` says about itself.
 *
 * @param {FileList} list of an `<input type="file" webkitdirectory>`
 * @returns {Promise<{files: object[], contentId: string, playlist: string}>}
 */
export async function readFolder(list) {
  const files = filesFromList(list);
  const playlists = files.filter(({ path }) => path.endsWith('.m3u8'));
  const top = playlists.find(({ path }) => !path.includes('/'));
  if (!top) throw new Error('The folder has no playlist at its top.');
  for (const { data } of playlists) {
    // Its key URLs are `…/keys/<content id>/<epoch>`.
    const [, contentId] =
      /^#EXT-X-KEY:METHOD=AES-128,URI="[^"]*\/keys\/([\w-]+)/m.exec(await data.text()) ?? [];
    if (contentId) return { files, contentId, playlist: top.path };
  }
  throw new Error('The folder is not encrypted: no playlist names a key. Run `latchkey encrypt` first.');
}

/**
 * Uploads a folder and then publishes the film. What has arrived before is not sent again.
 *
 * @param {{files: object[], contentId: string, playlist: string}} folder
 * @param {{title: string, isForSubscribers: boolean}} about
 * @returns the result of `upload()`
 */
export async function addFilm({ files, contentId, playlist }, about, { keyServerUrl, onProgress, signal }) {
  await registerFilm({ contentId, playlist, ...about });
  const result = await upload(files, {
    keyServerUrl,
    contentId,
    // Called for each file, so a token need not last long.
    auth: () => uploadToken(contentId),
    onProgress,
    signal,
  });
  if (result.complete) await publishFilm(contentId);
  return result;
}

/** The result in one sentence. */
export function sayResult({ files, complete }) {
  const number = (wanted) => files.filter(({ status }) => status === wanted).length;
  const were = `${number('uploaded')} uploaded, ${number('skipped')} there already`;
  if (complete) return `The film is in the library: ${were}.`;
  if (number('failed') === 0)
    return `Aborted: ${were}. Upload goes on here, also after a reload of the page.`;
  const errors = files.flatMap(({ error }) => error ?? []);
  // Playlists fail because another file failed, and that error is the cause.
  const cause = errors.find(({ code }) => code !== 'NAMED_FILE_MISSING') ?? errors[0];
  return `${number('failed')} of ${files.length} files failed (${were}). ${sayUploadError(cause)}`;
}
