import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { AppError } from '../errors/index.ts';
import { answerRaw, type RawAnswers } from './raw-answer.ts';
import { validationFailure } from './validation.ts';

export interface ClientErrors {
  /** Hears of each request that begins. */
  begin(request: IncomingMessage, reply: FastifyReply): void;
  /** Why the body that is about to be read will never be whole; null where nothing is known against it. */
  failureOf(request: IncomingMessage): AppError | null;
  /** Answers what is not HTTP, or too much of it, or comes too slowly. */
  answer(error: NodeJS.ErrnoException, socket: Socket): void;
}

interface Begun {
  request: IncomingMessage;
  reply: FastifyReply;
  failure: AppError | null;
}

/**
 * What the parser refuses. Where it is the body of a request that has begun, that request fails, with its own id and its
 * own log line. Else there is no request yet, so the answer and the line are written by hand.
 */
export function createClientErrors(answers: RawAnswers): ClientErrors {
  const latest = new WeakMap<Socket, Begun>();
  return {
    begin(request, reply) {
      // Only a body can be refused once its request has begun.
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      if (length === undefined && encoding === undefined) return;
      latest.set(request.socket, { request, reply, failure: null });
    },
    failureOf(request) {
      const begun = latest.get(request.socket);
      return begun?.request === request ? begun.failure : null;
    },
    answer(error, socket) {
      // The peer hung up: there is nobody to answer. Or it never asked, as browsers and health checks do that open a
      // connection beforehand.
      if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0)
        return void socket.destroy();
      const begun = latest.get(socket);
      // Behind a whole body stands another request.
      if (!begun || begun.request.complete) answerRaw(socket, explain(error), readRequest(error), answers);
      // It has its answer, such as a 401, which may still be on its way.
      else if (begun.reply.sent) socket.destroySoon();
      else failBody(begun);
    },
  };
}

/** Whoever reads the body hears of it as of any error of a stream. Who has not begun to is told when it does. */
function failBody(begun: Begun): void {
  begun.failure = validationFailure('', 'did not arrive as announced');
  // Where this body ends, and so where a next request would begin, is not known.
  begun.reply.header('connection', 'close');
  // Not by `destroy`, which takes the connection with it, nor past its reader: it may be in the midst of another answer.
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

/** The lines of a head that is not known to be whole, or to be HTTP at all. */
const originLine = /\r\norigin:[ \t]*([^\r\n]+?)[ \t]*\r\n/i;

/** The origin only: the rest may be anything, such as a credential in the place of a method. Of no use where it came in an earlier packet. */
function readRequest(error: NodeJS.ErrnoException & { rawPacket?: Buffer }) {
  const origin = originLine.exec(error.rawPacket?.toString('latin1') ?? '')?.[1];
  return { method: '', path: '', origin, userAgent: null };
}
