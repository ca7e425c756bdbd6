import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/index.ts';

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
