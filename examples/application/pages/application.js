// The calls of the pages to their own application.

/** Throws an `Error` with the application's `status` and `code`. */
async function ask(path, body, method = body ? 'POST' : 'GET') {
  const headers = body && { 'content-type': 'application/json' };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const message = answer.message ?? `The application answered ${response.status}.`;
  throw Object.assign(new Error(message), { status: response.status, code: answer.code });
}

export const signIn = (name, password) => ask('/session', { name, password });
export const loadFilms = () => ask('/films');
export const loadPlaybacks = () => ask('/studio/playbacks');
export const revoke = (leaseId) => ask('/studio/revoke', { leaseId });
/** @param {{contentId: string, title: string, playlist: string, isForSubscribers: boolean}} film */
export const registerFilm = (film) => ask('/studio/films', film);
export const publishFilm = (contentId) => ask('/studio/publish', { contentId });

/** A token to watch a content. */
export async function viewerToken(contentId) {
  return (await ask('/tokens/viewer', { contentId })).token;
}

/** A token to upload to a content. */
export async function uploadToken(contentId) {
  return (await ask('/tokens/upload', { contentId })).token;
}

/** Lets the button in the corner of each page sign out, and shows who is signed in. */
export function showUser(user) {
  document.getElementById('who').textContent = user.name;
  document.getElementById('sign-out').addEventListener('click', async () => {
    await ask('/session', undefined, 'DELETE');
    location.assign('/login');
  });
}

/** Writes a status. Text that has not changed stays: a screen reader would repeat it. */
export function say(words, tone = '') {
  const status = document.getElementById('status');
  status.dataset.tone = tone;
  if (status.textContent !== words) status.textContent = words;
}

/** Elements of the page, by their ids. */
export const byId = (...ids) => ids.map((id) => document.getElementById(id));

/** A new element with text. */
export function element(name, textContent, properties = {}) {
  return Object.assign(document.createElement(name), { textContent, ...properties });
}
