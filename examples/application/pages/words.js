// The texts for people, by the codes of `PlayerError` and `UploadError`: translate them.

const playerWords = {
  UNAUTHENTICATED: () => 'You are not signed in, or not any more.',
  AUTH_FAILED: () => 'Your access could not be checked. Try again.',
  CONTENT_NOT_ENTITLED: () => 'This film is not part of what you may watch.',
  CONTENT_NOT_FOUND: () => 'This film is not here any more.',
  LEASE_REVOKED: () => 'Playback was ended here: by an administrator, or because you watch elsewhere.',
  TOKEN_REVOKED: () => 'Your access was ended a moment ago. Try again in ten seconds.',
  LEASE_LIMIT_REACHED: ({ leases }) =>
    `You are already watching on ${leases.length} other device(s). End it there first.`,
  RATE_LIMITED: () => 'Too many requests. Wait a minute, then try again.',
  NETWORK: () => 'The key server cannot be reached. Check the connection, then try again.',
  MEDIA_NETWORK: () => 'The film cannot be loaded. Check the connection, then try again.',
  MEDIA_DECODE: () => 'This film cannot be played in this browser.',
  UNSUPPORTED: () => 'This browser cannot play this kind of film.',
};

/** @param {import('@latchkey/player').PlayerError} error */
export function sayPlayerError(error) {
  const said = playerWords[error.code]?.(error) ?? 'The film cannot be played.';
  // The code and the request id help support to find the request in the server's log.
  const request = error.requestId ? `, request ${error.requestId}` : '';
  return `${said} (${error.code}${request})`;
}

const uploadWords = {
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

/** @param {import('@latchkey/uploader').UploadError} error */
export function sayUploadError(error) {
  return uploadWords[error.code]?.(error) ?? error.message;
}
