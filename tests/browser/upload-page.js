// The page that a test drives: `start(options)` uploads the files of the input, and `state` has the progress.
import { filesFromList, upload } from '/uploader/index.js';

const controller = new AbortController();
globalThis.state = { loaded: [], filesDone: 0, result: null };
globalThis.abortUpload = () => controller.abort();
globalThis.start = ({ contentId, keyServerUrl }) => {
  const { files } = document.querySelector('input');
  upload(filesFromList(files), {
    contentId,
    keyServerUrl,
    auth: () => globalThis.giveToken(),
    signal: controller.signal,
    onProgress({ loadedBytes, totalBytes, filesDone }) {
      globalThis.state.loaded.push(loadedBytes);
      Object.assign(globalThis.state, { filesDone, totalBytes });
    },
  }).then(({ complete, files: results }) => {
    globalThis.state.result = {
      complete,
      files: results.map(({ path, status, etag, error }) => ({ path, status, etag, code: error?.code })),
    };
  });
};
