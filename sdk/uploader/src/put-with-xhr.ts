import type { Put, PutAnswer } from './ports.ts';

/** The browser sets them itself and lets nobody else (Fetch standard, "forbidden request-header"). */
const ownHeaders = new Set(['content-length', 'host']);

/** In browsers: the only way to hear how far an upload is. */
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
      // Asking for a single header that CORS hides writes an error to the console.
      const all = request.getAllResponseHeaders();
      const header = (name: string) => new RegExp(`^${name}: *(.*?)\\r?$`, 'im').exec(all)?.[1];
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
