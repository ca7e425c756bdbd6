import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/errors.ts';
import { validationFailure } from './validation.ts';

/**
 * Whether a request has the Host header that RFC 9112 section 3.2 demands: exactly one, and before HTTP/1.1 at most one.
 *
 * @returns the refusal, or null
 */
export function refuseHost({ headers, rawHeaders, httpVersion }: IncomingMessage): AppError | null {
  if (headers.host === undefined)
    return httpVersion === '1.1'
      ? new AppError('VALIDATION_FAILED', { detail: 'HTTP/1.1 needs a Host header.' })
      : null;
  let times = 0;
  // Header names are at even indexes. `headers` has only the first Host; a proxy in front may have used the other one.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') times++;
  }
  return times > 1 ? new AppError('VALIDATION_FAILED', { detail: 'There may be one Host header.' }) : null;
}

/**
 * Whether a request target has a fragment, which RFC 9112 section 3.2 forbids. The router would cut it off, and so ignore
 * what may have been meant as a query with a token.
 *
 * @returns the refusal, or null
 */
export function refuseFragment({ url = '' }: IncomingMessage): AppError | null {
  return url.includes('#') ? validationFailure('/path', 'must not have a fragment') : null;
}

/**
 * Refuses bodies that a proxy in front may read differently from Node. Node accepts chunks from HTTP/1.0, which has no
 * transfer codings, and ignores codings before `chunked`, such as `gzip` (RFC 9112 section 6.1). A proxy with other rules
 * sees another request after such a body, and Node has read it already. So nothing more of the connection is served.
 *
 * @returns for each request the refusal, or null; with a refusal the connection has to be closed
 */
export function createTransferCodingCheck(): (request: IncomingMessage) => AppError | null {
  const refused = new WeakSet<Socket>();
  return ({ headers, httpVersion, socket }) => {
    const coding = headers['transfer-encoding'];
    const isClear =
      coding === undefined || (httpVersion === '1.1' && coding.trim().toLowerCase() === 'chunked');
    if (isClear && !refused.has(socket)) return null;
    refused.add(socket);
    return new AppError('VALIDATION_FAILED', {
      detail: 'Transfer-Encoding may be chunked and nothing else, and only in HTTP/1.1.',
    });
  };
}
