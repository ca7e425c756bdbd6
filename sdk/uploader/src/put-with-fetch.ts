import type { Put } from './ports.ts';

/** In a browser without XMLHttpRequest, such as a service worker: a file gets on in one step. */
export const putWithFetch: Put = async ({ url, headers: signed, body, signal }) => {
  const blob = body instanceof Blob ? body : await new Response(body).blob();
  const headers = new Headers(signed);
  // fetch sets it itself.
  headers.delete('content-length');
  const init = { method: 'PUT', headers, body: blob, signal };
  const answer = await fetch(url, { ...init, redirect: 'manual', credentials: 'omit' });
  return {
    status: answer.status,
    etag: answer.headers.get('etag') ?? undefined,
    retryAfter: answer.headers.get('retry-after') ?? undefined,
    text: answer.ok ? '' : await answer.text(),
  };
};
