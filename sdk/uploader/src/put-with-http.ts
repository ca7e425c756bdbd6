import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Put } from './ports.ts';

/** Bytes that are handed to the socket at a time: the steps of progress. */
const pieceBytes = 256 * 1024;

/**
 * In Node: the body is read as the socket takes it, and counted. fetch would keep what it has sent until the end, in case
 * of a redirect (Node 24: the request is cloned), and so have whole files in memory.
 */
export const putWithHttp: Put = ({ url, headers, body, size, onSent, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.startsWith('https:') ? requestHttps : requestHttp;
    const all = new Headers(headers);
    // Without the length, Node would send chunks, which S3 refuses (501 NotImplemented).
    all.set('content-length', String(size));
    const sending = request(url, { method: 'PUT', headers: Object.fromEntries(all), signal });
    sending.once('error', reject);
    sending.once('response', async (answer) => {
      const { etag, 'retry-after': retryAfter } = answer.headers;
      const status = answer.statusCode ?? 0;
      try {
        resolve({ status, etag, retryAfter, text: await text(answer) });
      } catch (error) {
        reject(error);
      }
      // A refusal that came before the end: what is left need not be sent.
      if (!sending.writableFinished) sending.destroy();
    });
    const pieces = body instanceof Blob ? piecesOf(body) : body;
    pipeline(Readable.from(count(pieces, onSent), { objectMode: false }), sending).catch(reject);
  });

async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < blob.size; start += pieceBytes) {
    const piece = new Uint8Array(await blob.slice(start, start + pieceBytes).arrayBuffer());
    // Of a file that has become shorter, where Node does not say so: the store would wait for the rest.
    if (piece.byteLength < Math.min(pieceBytes, blob.size - start))
      throw new Error('the file is shorter now');
    yield piece;
  }
}

async function* count(
  pieces: AsyncIterable<Uint8Array>,
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const piece of pieces) {
    yield piece;
    // The next one is asked for: this one is on its way.
    sent += piece.byteLength;
    onSent(sent);
  }
}
