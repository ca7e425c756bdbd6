// The words for the viewer when playback ends. The codes are those of `PlayerError`.

const words = {
  UNAUTHENTICATED: () => 'You are not signed in, or not any more.',
  AUTH_FAILED: () => 'Your access could not be checked. Try again.',
  CONTENT_NOT_ENTITLED: () => 'This video is not part of what you may watch.',
  CONTENT_NOT_FOUND: () => 'This video is not here any more.',
  LEASE_REVOKED: () => 'Playback was ended here: by the operator, or because you watch elsewhere.',
  TOKEN_REVOKED: () => 'Your access was ended a moment ago. Try again in ten seconds.',
  LEASE_LIMIT_REACHED: ({ leases }) =>
    `You are already watching on another device${since(leases)}. End it there first.`,
  RATE_LIMITED: () => 'Too many requests. Wait a minute, then try again.',
  NETWORK: () => 'The key server cannot be reached. Check the connection, then try again.',
  MEDIA_NETWORK: () => 'The video cannot be loaded. Check the connection, then try again.',
  MEDIA_DECODE: () => 'This video cannot be played in this browser.',
  UNSUPPORTED: () => 'This browser cannot play this kind of video.',
};

/** @param {import('@latchkey/player').PlayerError} error */
export function sayError(error) {
  const said = words[error.code]?.(error) ?? 'The video cannot be played.';
  // The code and the request id help support to find the request in the server's log.
  const request = error.requestId ? `, request ${error.requestId}` : '';
  return `${said} (${error.code}${request})`;
}

function since(leases) {
  const [oldest] = leases.map(({ createdAt }) => createdAt).sort();
  return oldest ? ` since ${new Date(oldest).toLocaleTimeString([], { timeStyle: 'short' })}` : '';
}
