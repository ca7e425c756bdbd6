import { AppError } from '@latchkey/shared/errors';
import { NoSignOfLife, NotBegun, Tries, type Upstream } from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Attempt } from './attempt.ts';
import { requestHeaders } from './forwarded-headers.ts';
import type { OpenStreams } from './open-streams.ts';

/** Asking for these changes nothing, so asking twice is no harm (RFC 9110 section 9.2.1). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** `http://host` before the path (RFC 9112 section 3.2.2), cut off where the router cuts it off. */
const beforePath = /^https?:\/\/.*?(?=\/)/i;

export interface ForwardOptions {
  upstream: Upstream;
  secret: string;
  /** `PUBLIC_URL`; null where it is not set. */
  publicUrl: string | null;
  /** From the request to the head of its answer, waiting for a free connection and further tries included. */
  answerLimitMs: number;
  /** After this long without an answer the address is asked for a sign of life. */
  doubtAfterMs: number;
  streams: OpenStreams;
  /** Hears of each request that no address answered, and of each answer that broke off. */
  onFault: (error: unknown) => void;
}

/** One request on its way to a service and its answer on the way to the client, over one or more attempts. */
export class Forwarding {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly #options: ForwardOptions;
  readonly #tries: Tries;
  readonly #path: string;
  readonly #headers: string[];
  readonly #body: Buffer | null;
  #attempt: Attempt | null = null;
  #timer: NodeJS.Timeout;

  constructor(request: FastifyRequest, reply: FastifyReply, options: ForwardOptions) {
    const { url = '/' } = request.raw;
    this.request = request;
    this.reply = reply;
    this.#options = options;
    this.#tries = new Tries(options.upstream, safeMethods.has(request.method));
    this.#path = url.startsWith('/') ? url : url.replace(beforePath, '');
    this.#headers = requestHeaders(request, options.secret, options.publicUrl);
    this.#body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : null;
    const { answerLimitMs, doubtAfterMs } = options;
    this.#timer =
      doubtAfterMs < answerLimitMs
        ? setTimeout(() => this.#doubt(), doubtAfterMs)
        : setTimeout(() => this.#giveUp(), answerLimitMs);
    reply.raw.on('close', () => this.#end());
    this.#start();
  }

  /** The head of an answer goes to the client: the time limit is over. */
  onHead(): void {
    clearTimeout(this.#timer);
  }

  /** Hears what an answer says of the service's process. */
  heed(phase: unknown): void {
    this.#tries.member?.heed(phase);
  }

  /** Nothing of an answer has gone to the client: tries another address, or fails. */
  onUnanswered(error: Error): void {
    if (!this.turnFrom(error)) this.#fail(error);
  }

  /**
   * Leaves the present attempt for another address.
   *
   * @returns false where there is no other, and the present one goes on
   */
  turnFrom(error: Error): boolean {
    if (!this.#tries.next(error)) return false;
    this.#start();
    return true;
  }

  /** The client has got a part of the answer, and will not get the rest. */
  onBroken(error: Error): void {
    this.#options.onFault(error);
  }

  /** An answer without end begins. */
  onStream(): void {
    this.#options.streams.add(this.reply.raw);
  }

  #start(): void {
    const { member } = this.#tries;
    if (!member) {
      this.#fail(new Error('no address is known'));
      return;
    }
    this.#attempt = new Attempt(this);
    const { method } = this.request;
    // The limit is this class's own; the connection's would cut off what has been given longer.
    member.pool.dispatch(
      { method, path: this.#path, headers: this.#headers, body: this.#body, headersTimeout: 0 },
      this.#attempt,
    );
  }

  /** Who lives is waited for, however slow. Who gives no sign of life is left, where there is another. */
  async #doubt(): Promise<void> {
    const { answerLimitMs, doubtAfterMs } = this.#options;
    this.#timer = setTimeout(() => this.#giveUp(), answerLimitMs - doubtAfterMs);
    const doubted = this.#attempt;
    if (!doubted || (await this.#tries.member?.isAlive()) || doubted !== this.#attempt || doubted.isOver())
      return;
    if (this.turnFrom(doubted.isBegun() ? new NoSignOfLife() : new NotBegun('it waits for a connection')))
      doubted.leave();
  }

  #giveUp(): void {
    this.#tries.member?.penalize();
    this.#fail(new Error(`no answer within ${this.#options.answerLimitMs} ms`));
  }

  /** The client has its answer, or has gone away. */
  #end(): void {
    clearTimeout(this.#timer);
    this.#attempt?.leave();
  }

  #fail(cause: unknown): void {
    clearTimeout(this.#timer);
    if (this.reply.sent || this.reply.raw.destroyed) return;
    this.#options.onFault(cause);
    this.reply.send(new AppError('DEPENDENCY_UNAVAILABLE', { cause }));
  }
}
