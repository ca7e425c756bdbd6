import { AppError } from '@latchkey/shared/errors';
import { brokeBeforeAnswer, neverReached, type Upstream } from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AnswerHandler } from './answer-handler.ts';
import { requestHeaders } from './forwarded-headers.ts';
import type { OpenStreams } from './open-streams.ts';

/** Addresses that are tried before the service counts as lost. */
const addressesTried = 3;
/** Asking for these changes nothing, so a connection that broke is no reason to fail (RFC 9110 section 9.2.1). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** `http://host` before the path (RFC 9112 section 3.2.2), cut off where the router cuts it off. */
const beforePath = /^https?:\/\/.*?(?=\/)/i;

export interface ForwardOptions {
  upstream: Upstream;
  secret: string;
  /** From the request to the head of its answer, waiting for a free connection and further tries included. */
  answerLimitMs: number;
  streams: OpenStreams;
  /** Hears of each request that no address answered, and of each answer that broke off. */
  onFault: (error: unknown) => void;
}

/** Hands a request to a service and its answer to the client. */
export function forward(request: FastifyRequest, reply: FastifyReply, options: ForwardOptions): void {
  const { upstream, secret, onFault } = options;
  const { method } = request;
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : null;
  const headers = requestHeaders(request, secret);
  const path = (request.raw.url ?? '/').replace(beforePath, '');
  let member = upstream.pick();
  let tried = 0;

  const attempt = (): void => {
    tried++;
    if (member) member.pool.dispatch({ method, path, headers, body }, handlerOf(member));
    else fail(new Error('no address is known'));
  };
  const handlerOf = (asked: NonNullable<typeof member>) =>
    new AnswerHandler(request, reply, {
      streams: options.streams,
      onEnding: () => asked.retire(),
      onHead: () => clearTimeout(limit),
      onUnanswered(error) {
        const unsent = neverReached(error);
        const broke = brokeBeforeAnswer(error);
        if (unsent || broke) asked.penalize();
        const again = unsent || (broke && safeMethods.has(method));
        if (!again || tried === addressesTried) {
          fail(error);
          return;
        }
        member = upstream.pick();
        attempt();
      },
      onBroken: onFault,
    });
  const fail = (cause: unknown) => {
    clearTimeout(limit);
    if (reply.sent || reply.raw.destroyed) return;
    onFault(cause);
    reply.send(new AppError('DEPENDENCY_UNAVAILABLE', { cause }));
  };
  const limit = setTimeout(() => {
    member?.penalize();
    fail(new Error(`no answer within ${options.answerLimitMs} ms`));
  }, options.answerLimitMs);
  attempt();
}
