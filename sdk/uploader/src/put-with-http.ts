import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Put } from './ports.ts';

/** Bytes written to the socket at a time: the steps of progress. */
const pieceBytes = 256 * 1024;

/**
 * In Node: reads and counts the body at the pace of the socket. fetch would keep whole files in memory in case of a redirect
 * (Node 24 clones the request).
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
      // After an early refusal the rest need not be sent.
      if (!sending.writableFinished) sending.destroy();
    });
    const pieces = body instanceof Blob ? piecesOf(body) : body;
    pipeline(Readable.from(count(pieces, onSent), { objectMode: false }), sending).catch(reject);
  });

async function* piecesOf(blob: Blob): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < blob.size; start += pieceBytes) {
    const piece = new Uint8Array(await blob.slice(start, start + pieceBytes).arrayBuffer());
    // Node does not report a file that has become shorter, and the store would wait for the rest.
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
    // The socket has taken the piece, since it asks for the next.
    sent += piece.byteLength;
    onSent(sent);
  }
}
