// The words for each uploaded file. The codes are those of `UploadError`.

const statuses = {
  uploaded: 'uploaded',
  skipped: 'there already',
  aborted: 'not sent yet',
};

const words = {
  INVALID_FILE: ({ message }) => `It cannot be uploaded: ${message}.`,
  READ_FAILED: () => 'It cannot be read, or has changed since it was picked.',
  // The message of the application's token endpoint.
  AUTH_FAILED: ({ cause }) => cause?.message ?? 'The application gave no token.',
  PRESIGN_REFUSED: ({ serverCode }) => `The key server does not allow it (${serverCode}).`,
  PRESIGN_UNAVAILABLE: () => 'The key server cannot be reached.',
  STORE_REFUSED: ({ serverCode }) => `The bucket does not take it (${serverCode}).`,
  STORE_UNAVAILABLE: () => 'The bucket cannot be reached, or does not let this page send (CORS).',
  NAMED_FILE_MISSING: () => 'Held back: a file that this playlist names is not there.',
};

/** @param {import('@latchkey/uploader').FileResult} file */
export function sayStatus({ status, error }) {
  return status === 'failed' ? sayError(error) : (statuses[status] ?? '');
}

/** @param {import('@latchkey/uploader').UploadError} error */
export function sayError(error) {
  return words[error.code]?.(error) ?? error.message;
}
