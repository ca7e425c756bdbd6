import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@latchkey/shared/errors';
import { readTellingHeaders } from '@latchkey/shared/internal';
import { brokeBeforeAnswer, neverReached, type Upstream } from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { requestHeaders, responseHeaders } from './forwarded-headers.ts';

/** Addresses that are tried before the service counts as lost. */
const addressesTried = 3;
/** An answer up to this size is sent as one piece: keys have 16 octets, and a page of a list some 100 KiB. */
const wholeOctets = 16 * 1024;
/** Asking for these changes nothing, so a connection that broke is no reason to fail (RFC 9110 section 9.2.1). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export interface ForwardOptions {
  upstream: Upstream;
  secret: string;
  /** Hears of each request that no address answered. */
  onFault: (error: unknown) => void;
}

/** Hands a request to a service and its answer to the client. */
export function forward(request: FastifyRequest, reply: FastifyReply, options: ForwardOptions): void {
  const { upstream, secret, onFault } = options;
  const { method } = request;
  const body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : null;
  const headers = requestHeaders(request, secret);

  const attempt = (tried: number): void => {
    const member = upstream.pick();
    if (!member) {
      fail(new Error('no address is known'));
      return;
    }
    const handler = new AnswerHandler(request, reply, (error) => {
      const unsent = neverReached(error);
      if (unsent) member.penalize();
      const again = unsent || (safeMethods.has(method) && brokeBeforeAnswer(error));
      if (again && tried < addressesTried) attempt(tried + 1);
      else fail(error);
    });
    member.pool.dispatch({ method, path: request.raw.url ?? '/', headers, body }, handler);
  };
  const fail = (cause: unknown) => {
    onFault(cause);
    if (!reply.sent) reply.send(new AppError('DEPENDENCY_UNAVAILABLE', { cause }));
  };
  attempt(1);
}

/** Writes an answer to the client as it comes: small ones as one piece, large ones and streams bit by bit. */
class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #onUnanswered: (error: Error) => void;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #held: Buffer[] | null = null;
  #answered = false;

  constructor(request: FastifyRequest, reply: FastifyReply, onUnanswered: (error: Error) => void) {
    this.#request = request;
    this.#reply = reply;
    this.#onUnanswered = onUnanswered;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { raw } = this.#reply;
    const leave = () => controller.abort(new Error('the client went away'));
    if (raw.destroyed) leave();
    else raw.once('close', () => raw.writableFinished || leave());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Interim answers (RFC 9110 section 15.2) say nothing to the client.
    if (status < 200) return;
    const request = this.#request;
    const told = readTellingHeaders(headers);
    request.principal = told.principal as FastifyRequest['principal'];
    request.errorCode = told.code;
    request.answeredRoute = told.route;
    this.#answered = true;
    this.#status = status;
    this.#headers = responseHeaders(headers, this.#reply.getHeaders());
    this.#reply.hijack();
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (length <= wholeOctets) this.#held = [];
    else this.#reply.raw.writeHead(status, this.#headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#held) {
      this.#held.push(chunk);
      return;
    }
    const { raw } = this.#reply;
    if (raw.write(chunk)) return;
    controller.pause();
    raw.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    const { raw } = this.#reply;
    if (!this.#held) {
      raw.end();
      return;
    }
    raw.writeHead(this.#status, this.#headers);
    const [only] = this.#held;
    raw.end(this.#held.length === 1 ? only : Buffer.concat(this.#held));
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#reply.raw.destroyed) return;
    if (!this.#answered) this.#onUnanswered(error);
    // The head is out, so the only way to say that the rest is missing is to break off.
    else if (this.#held === null) this.#reply.raw.destroy(error);
    else this.#reply.raw.writeHead(503, { 'retry-after': '1', 'content-length': '0' }).end();
  }
}
