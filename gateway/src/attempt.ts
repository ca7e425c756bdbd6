import { addAbortListener } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@latchkey/shared/contracts';
import { readLogHeaders, refusalOf } from '@latchkey/shared/internal';
import type { RequestFailure } from '@latchkey/shared/log';
import {
  type Address,
  AnswersAnother,
  elsewhereHeader,
  NotStarted,
  phaseHeader,
  TryElsewhere,
  UnsureReplica,
} from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { responseHeaders } from './forwarded-headers.ts';

/** An answer up to this size is sent as one piece: keys have 16 bytes, and most pages of a list fit too. */
const wholeBytes = 16 * 1024;

/** The request that an attempt belongs to, which is notified of how the attempt goes. */
interface AttemptedRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly options: {
    readonly service: string;
    readonly ending: AbortSignal;
    onFault(error: unknown): void;
  };
  /** How many addresses have got it so far. */
  readonly sentCount: number;
  /** The head of an answer goes to the client: the time limit no longer applies. */
  onHead(): void;
  /** No part of an answer has gone to the client: tries another address, or fails. */
  onUnanswered(error: Error): void;
  /**
   * Leaves the present attempt for another address.
   *
   * @returns false if there is no other: then the present attempt goes on
   */
  turnFrom(error: Error): boolean;
}

/** A request at one address. It writes a small answer to the client as one piece, and a large one as it arrives. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly address: Address;
  readonly #forwarding: AttemptedRequest;
  readonly #answersBefore: number;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #held: Buffer[] | null = null;
  #isOver = false;

  constructor(forwarding: AttemptedRequest, address: Address) {
    this.#forwarding = forwarding;
    this.address = address;
    this.#answersBefore = address.answers;
    address.occupy();
  }

  /** Whether the service may have begun with the request. Until then it waits for a connection. */
  isBegun(): boolean {
    return this.#controller !== null;
  }

  /** Whether its address has answered any request since this one was sent. Then the process is alive, and this request a slow one. */
  isAddressAlive(): boolean {
    return this.address.answers !== this.#answersBefore;
  }

  /** Ends it: another attempt answers, or the client has gone. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller?.abort(new Error('the answer is no longer needed'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown instead of aborted: nothing was sent yet, and `abort` would end a connection that another request can use.
    if (this.#isOver) throw new Error('the answer is no longer needed');
    this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Interim answers (RFC 9110 section 15.2) are not forwarded.
    if (status < 200 || this.#isOver) return;
    const unusable = this.#whyUnusable(headers);
    if (unusable) {
      controller.abort(unusable);
      return;
    }
    this.address.answers++;
    if (this.#isSentElsewhere(status, headers)) {
      this.#isOver = true;
      return;
    }
    this.#takeHead(status, headers);
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (length <= wholeBytes) this.#held = [];
    else this.#begin(Number.isNaN(length));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#held) {
      this.#held.push(chunk);
      return;
    }
    const { raw } = this.#forwarding.reply;
    // Writing to an answer that the gateway has ended would be an error.
    if (raw.writableEnded || raw.write(chunk)) return;
    controller.pause();
    raw.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.address.release();
    if (this.#isOver) return;
    this.#isOver = true;
    const { raw } = this.#forwarding.reply;
    if (this.#held) this.#sendWhole(this.#held);
    else if (!raw.writableEnded) raw.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.address.release();
    if (this.#isOver) return;
    this.#isOver = true;
    const { reply, options } = this.#forwarding;
    if (reply.raw.destroyed || reply.raw.writableEnded) return;
    if (!reply.raw.headersSent) {
      this.#forwarding.onUnanswered(error);
      return;
    }
    options.onFault(error);
    // The head is sent, so only a broken connection can tell the client that the rest is missing.
    reply.raw.destroy();
  }

  #takeHead(status: number, headers: IncomingHttpHeaders): void {
    const { request, reply } = this.#forwarding;
    const { principal, code, route, revocation, failure } = readLogHeaders(headers);
    request.principal = principal as Principal | null;
    request.errorCode = code;
    request.answeredRoute = route;
    request.failure = status < 500 ? null : this.#describe(failure, status);
    request.revocation = revocation ?? null;
    this.#status = status;
    this.#headers = responseHeaders(headers, reply.getHeaders());
  }

  /** Takes the cause from the service. `upstream` is the name of the service, and then the upstream that it names, if any. */
  #describe(own: RequestFailure | null, status: number): RequestFailure {
    const { options, sentCount } = this.#forwarding;
    const { service } = options;
    return {
      cause: own?.cause ?? `${service} answered ${status} without a reason`,
      upstream: own?.upstream ? `${service} > ${own.upstream}` : service,
      tries: own?.upstream ? own.tries : sentCount,
    };
  }

  #sendWhole(held: readonly Buffer[]): void {
    const { reply } = this.#forwarding;
    if (reply.sent) return;
    const [only] = held;
    const bytes = only && held.length === 1 ? only : Buffer.concat(held);
    this.#forwarding.onHead();
    reply.hijack();
    reply.raw.writeHead(this.#status, this.#headers);
    // As text of one byte a character: Node writes that together with the head, and a buffer in a second write.
    reply.raw.end(bytes.toString('latin1'), 'latin1');
  }

  /** Takes what the answer says of its process. @returns whether another address gets the request instead */
  #isSentElsewhere(status: number, headers: IncomingHttpHeaders): boolean {
    const phase = headers[phaseHeader];
    if (phase !== undefined) this.address.avoid();
    if (phase === 'starting') {
      this.#forwarding.onUnanswered(new NotStarted());
      return true;
    }
    if (status !== 503) return false;
    if (headers[elsewhereHeader] !== undefined) return this.#forwarding.turnFrom(new TryElsewhere());
    return phase === 'unsure' && this.#forwarding.turnFrom(new UnsureReplica());
  }

  #whyUnusable(headers: IncomingHttpHeaders): Error | null {
    const { request, reply } = this.#forwarding;
    if (reply.sent) return new Error('the answer comes too late');
    const id = headers['x-request-id'];
    // A service may send one answer too many, and the next request on that connection would get it. Answers of Node's parser have no id,
    // such as a 431.
    if (id === request.id) this.address.repeatsIds = true;
    else if (id !== undefined && this.address.repeatsIds) return new AnswersAnother();
    return refusalOf({ headers });
  }

  /** Sends the head. For a stream at once, because its first event may come much later. */
  #begin(isStream: boolean): void {
    this.#forwarding.onHead();
    const { reply, options } = this.#forwarding;
    reply.hijack();
    // A stream's connection is not reused: an idle one would delay the end of the process.
    if (isStream) this.#headers.connection = 'close';
    reply.raw.writeHead(this.#status, this.#headers);
    if (!isStream) return;
    reply.raw.flushHeaders();
    // Any other answer ends by itself, and must not be ended early at the shutdown: it would look complete.
    if (!this.#headers['content-type']?.includes('text/event-stream')) return;
    const listening = addAbortListener(options.ending, () => reply.raw.end());
    reply.raw.once('close', () => listening[Symbol.dispose]());
  }
}
