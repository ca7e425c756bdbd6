import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { FastifyReply } from 'fastify';
import { AppError } from '../errors/errors.ts';
import { answerRaw, type RawAnswers } from './raw-answer.ts';
import { validationFailure } from './validation.ts';

interface Begun {
  request: IncomingMessage;
  reply: FastifyReply;
  failure: AppError | null;
}

/**
 * Handles input that the parser refuses. Where the fault is in the body of a request that has begun, that request fails,
 * with its own id and log line. Otherwise no request exists yet, so the answer and the line are written here.
 */
export function createClientErrors(answers: RawAnswers) {
  const latest = new WeakMap<Socket, Begun>();
  return {
    /** Called for each request that begins. */
    begin(request: IncomingMessage, reply: FastifyReply): void {
      // Once a request has begun, only its body can be refused.
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      if (length === undefined && encoding === undefined) return;
      latest.set(request.socket, { request, reply, failure: null });
    },
    /** Why the body of this request will never arrive whole; null if no fault is known. */
    failureOf(request: IncomingMessage): AppError | null {
      const begun = latest.get(request.socket);
      return begun?.request === request ? begun.failure : null;
    },
    /** Answers input that is not HTTP, is too large, or arrives too slowly. */
    answer(error: NodeJS.ErrnoException, socket: Socket): void {
      // The peer hung up, so there is no client to answer. Or it never sent a request: browsers and health checks open
      // connections in advance.
      if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0)
        return void socket.destroy();
      // Without a handshake there is nobody to answer. OpenSSL has sent its alert.
      if (socket instanceof TLSSocket && socket.getProtocol() === null) return void socket.destroy();
      const begun = latest.get(socket);
      // The fault belongs to another request, after a complete body.
      if (!begun || begun.request.complete) answerRaw(socket, explain(error), readRequest(error), answers);
      // The request has its answer, such as a 401, which may still be in transit.
      else if (begun.reply.sent) socket.destroySoon();
      else failBody(begun);
    },
  };
}

/** The body's reader gets the error like any error of a stream. A reader that starts later gets it when it starts. */
function failBody(begun: Begun): void {
  begun.failure = validationFailure('', 'did not arrive as announced');
  // It is unknown where this body ends, and so where a next request would begin.
  begun.reply.header('connection', 'close');
  // Not by `destroy`, which would also close the connection, and not around the reader, which may be sending another
  // answer.
  if (begun.request.listenerCount('data') > 0) begun.request.emit('error', begun.failure);
}

function explain({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new AppError('HEADERS_TOO_LARGE', { detail: 'The headers may have 16384 bytes.' });
  const detail =
    code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? 'The request took too long to arrive.'
      : 'This is not a valid HTTP request.';
  return new AppError('VALIDATION_FAILED', { detail });
}

/** A line of a head that may be incomplete, or may not be HTTP at all. It ends at the first character that could begin another. */
const originLine = /\r\norigin:([^\r\n]*)\r\n/i;

/**
 * The origin of a request that could not be parsed. The other lines may be anything, such as a credential in the place of a
 * method. The time is proportional to the length for every packet, because anyone can send one.
 *
 * @param packet the last one that arrived
 * @returns undefined if the request has no origin, or if the origin came in an earlier packet
 */
export function readOrigin(packet: Buffer): string | undefined {
  return originLine.exec(packet.toString('latin1'))?.[1]?.trim() || undefined;
}

/** The origin only. */
function readRequest({ rawPacket }: NodeJS.ErrnoException & { rawPacket?: Buffer }) {
  return { method: '', path: '', origin: rawPacket && readOrigin(rawPacket), userAgent: null };
}

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
