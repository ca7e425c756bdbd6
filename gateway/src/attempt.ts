import type { IncomingHttpHeaders } from 'node:http';
import type { Principal } from '@latchkey/shared/contracts';
import { readLogHeaders, refusalOf } from '@latchkey/shared/internal';
import type { RequestFailure } from '@latchkey/shared/log';
import {
  type AnswerController,
  type AnswerHandler,
  elsewhereHeader,
  type Member,
  NotStarted,
  phaseHeader,
  TryElsewhere,
  UnsureReplica,
} from '@latchkey/shared/upstream';
import type { Dispatcher } from 'undici';
import type { Exchange } from './exchange.ts';
import { responseHeaders } from './forwarded-headers.ts';

/** An answer up to this size is sent as one piece: keys have 16 bytes, and most pages of a list fit too. */
const wholeBytes = 16 * 1024;

/** The request that an attempt belongs to, which is notified of how the attempt goes. */
export interface AttemptedRequest {
  readonly exchange: Exchange;
  /** The name of the service, for the log. */
  readonly service: string;
  /** How many addresses have got it so far. */
  readonly sentCount: number;
  /** The head of an answer goes to the client: the time limit no longer applies. */
  onHead(): void;
  /** Notes what an answer says of the service's process. */
  notePhase(phase: unknown): void;
  /** No part of an answer has gone to the client: tries another address, or fails. */
  onUnanswered(error: Error): void;
  /** The client has received a part of the answer, and will not receive the rest. */
  onBroken(error: Error): void;
  /** An event stream begins. */
  onStream(): void;
  /**
   * Leaves the present attempt for another address.
   *
   * @returns false if there is no other: then the present attempt goes on
   */
  turnFrom(error: Error): boolean;
}

/** A request at one address. It writes a small answer to the client as one piece, and a large one as it arrives. */
export class Attempt implements Dispatcher.DispatchHandler, AnswerHandler {
  readonly member: Member;
  readonly #forwarding: AttemptedRequest;
  #controller: AnswerController | null = null;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #held: Buffer[] | null = null;
  #over = false;

  constructor(forwarding: AttemptedRequest, member: Member) {
    this.#forwarding = forwarding;
    this.member = member;
    member.occupy();
  }

  /** Whether the service may have begun with the request. Until then it waits for a connection. */
  isBegun(): boolean {
    return this.#controller !== null;
  }

  /** Whether it has ended: answered, failed or left. */
  isOver(): boolean {
    return this.#over;
  }

  /** Ends it: another attempt answers, or the client has gone. */
  leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(new Error('the answer is no longer needed'));
  }

  onRequestStart(controller: AnswerController): void {
    // Thrown instead of aborted: nothing was sent yet, and `abort` would end a connection that another request can use.
    if (this.#over) throw new Error('the answer is no longer needed');
    this.#controller = controller;
  }

  onResponseStart(controller: AnswerController, status: number, headers: IncomingHttpHeaders): void {
    // Interim answers (RFC 9110 section 15.2) are not forwarded.
    if (status < 200 || this.#over) return;
    const unusable = this.#whyUnusable(headers);
    if (unusable) {
      controller.abort(unusable);
      return;
    }
    if (this.#isSentElsewhere(status, headers)) {
      this.#over = true;
      return;
    }
    this.#takeHead(status, headers);
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (length <= wholeBytes) this.#held = [];
    else this.#begin(Number.isNaN(length));
  }

  onResponseData(controller: AnswerController, chunk: Buffer): void {
    if (this.#over) return;
    if (this.#held) {
      this.#held.push(chunk);
      return;
    }
    const { response } = this.#forwarding.exchange;
    // Writing to an answer that the gateway has ended would be an error.
    if (response.writableEnded || response.write(chunk)) return;
    controller.pause();
    response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.member.release();
    if (this.#over) return;
    this.#over = true;
    const { response } = this.#forwarding.exchange;
    if (this.#held) {
      const [only] = this.#held;
      const bytes = only && this.#held.length === 1 ? only : Buffer.concat(this.#held);
      this.#sendWhole(bytes.toString('latin1'));
    } else if (!response.writableEnded) response.end();
  }

  onWholeAnswer(status: number, headers: IncomingHttpHeaders, body: string): void {
    try {
      if (!this.#over) this.#takeWhole(status, headers, body);
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      // Last, because it sends the next request that waits.
      this.member.release();
    }
  }

  onResponseError(_controller: AnswerController, error: Error): void {
    this.member.release();
    if (this.#over) return;
    this.#over = true;
    this.#fail(error);
  }

  #takeWhole(status: number, headers: IncomingHttpHeaders, body: string): void {
    this.#over = true;
    const unusable = this.#whyUnusable(headers);
    if (unusable) {
      this.#fail(unusable);
      return;
    }
    if (this.#isSentElsewhere(status, headers)) return;
    this.#takeHead(status, headers);
    this.#sendWhole(body);
  }

  #takeHead(status: number, headers: IncomingHttpHeaders): void {
    const { exchange } = this.#forwarding;
    const logged = readLogHeaders(headers);
    const { principal, code, route, revocation } = logged;
    const failure = status < 500 ? null : this.#describe(logged.failure, status);
    exchange.note(principal as Principal | null, code, route, failure, revocation);
    this.#status = status;
    this.#headers = responseHeaders(headers, exchange.ownHeaders());
  }

  /** What the service says of its failure, and behind its name what it called itself. */
  #describe(own: RequestFailure | null, status: number): RequestFailure {
    const { service, sentCount } = this.#forwarding;
    return {
      cause: own?.cause ?? `${service} answered ${status} without a reason`,
      upstream: own?.upstream ? `${service} > ${own.upstream}` : service,
      tries: own?.upstream ? own.tries : sentCount,
    };
  }

  /** @param body one byte a character (Latin-1): Node writes text together with the head, and a buffer in a second write */
  #sendWhole(body: string): void {
    const { exchange } = this.#forwarding;
    if (exchange.isAnswered()) return;
    this.#forwarding.onHead();
    exchange.take?.();
    exchange.response.writeHead(this.#status, this.#headers);
    exchange.response.end(body, 'latin1');
  }

  #fail(error: Error): void {
    const { response } = this.#forwarding.exchange;
    if (response.destroyed || response.writableEnded) return;
    if (!response.headersSent) {
      this.#forwarding.onUnanswered(error);
      return;
    }
    this.#forwarding.onBroken(error);
    // The head is sent, so only a broken connection can tell the client that the rest is missing.
    response.destroy();
  }

  /** Notes what the answer says of its process. @returns whether another address gets the request instead */
  #isSentElsewhere(status: number, headers: IncomingHttpHeaders): boolean {
    const phase = headers[phaseHeader];
    this.#forwarding.notePhase(phase);
    if (phase === 'starting') {
      this.#forwarding.onUnanswered(new NotStarted());
      return true;
    }
    if (status !== 503) return false;
    if (headers[elsewhereHeader] !== undefined) return this.#forwarding.turnFrom(new TryElsewhere());
    return phase === 'unsure' && this.#forwarding.turnFrom(new UnsureReplica());
  }

  #whyUnusable(headers: IncomingHttpHeaders): Error | null {
    if (this.#forwarding.exchange.isAnswered()) return new Error('the answer comes too late');
    return refusalOf({ headers });
  }

  /** Sends the head. For a stream at once, because its first event may come much later. */
  #begin(isStream: boolean): void {
    this.#forwarding.onHead();
    const { exchange } = this.#forwarding;
    exchange.take?.();
    // A stream's connection is not reused: an idle one would delay the end of the process.
    if (isStream) this.#headers.connection = 'close';
    exchange.response.writeHead(this.#status, this.#headers);
    if (!isStream) return;
    exchange.response.flushHeaders();
    // Any other answer ends by itself, and must not be ended early at the shutdown: it would look complete.
    if (this.#headers['content-type']?.includes('text/event-stream')) this.#forwarding.onStream();
  }
}
