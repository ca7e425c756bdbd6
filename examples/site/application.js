// The calls of the pages to their own application.

/** The key server and the contents. @returns {Promise<{keyServerUrl: string, contents: object[]}>} */
export async function loadConfig() {
  return ask('/config');
}

/** The user who is signed in, and all users. @returns {Promise<{user: object | null, users: object[]}>} */
export async function loadSession() {
  return ask('/session');
}

export async function signIn(userId) {
  return ask('/session', { userId });
}

/** A token for a viewer of a content. Throws an `Error` with the application's `code` and `status`. */
export async function viewerToken(contentId) {
  return (await ask('/tokens/viewer', { contentId })).token;
}

/** A token for an upload to a content. */
export async function uploadToken(contentId) {
  return (await ask('/tokens/upload', { contentId })).token;
}

async function ask(path, body) {
  const sent = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, sent);
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const message = answer.detail ?? `The application answered ${response.status}.`;
  throw Object.assign(new Error(message), { status: response.status, code: answer.code });
}
