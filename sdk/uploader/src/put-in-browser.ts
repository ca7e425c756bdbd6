import type { Put, PutAnswer } from './ports.ts';

/** Only the browser may set these (Fetch standard, "forbidden request-header"). */
const ownHeaders = new Set(['content-length', 'host']);

/** In browsers: only XMLHttpRequest reports the progress of an upload. */
export const putWithXhr: Put = async ({ url, headers, body, onSent, signal }) => {
  const blob = body instanceof Blob ? body : await new Response(body).blob();
  return new Promise<PutAnswer>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const end = () => request.abort();
    const settle = () => signal.removeEventListener('abort', end);
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) {
      if (!ownHeaders.has(name.toLowerCase())) request.setRequestHeader(name, value);
    }
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      settle();
      // Reading a single header that CORS hides writes an error to the console.
      const all = request.getAllResponseHeaders();
      const lines = all.split('\n').map((line) => line.trim());
      const header = (name: string) =>
        lines
          .find((line) => line.toLowerCase().startsWith(`${name}:`))
          ?.slice(name.length + 1)
          .trim();
      const retryAfter = header('retry-after');
      resolve({ status: request.status, etag: header('etag'), retryAfter, text: request.responseText });
    };
    request.onerror = () => {
      settle();
      reject(new TypeError('the request failed'));
    };
    request.onabort = () => {
      settle();
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    request.send(blob);
  });
};

/** In a browser without XMLHttpRequest, such as a service worker. Progress is one step for each file. */
export const putWithFetch: Put = async ({ url, headers: signed, body, signal }) => {
  const blob = body instanceof Blob ? body : await new Response(body).blob();
  const headers = new Headers(signed);
  // fetch sets it.
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
