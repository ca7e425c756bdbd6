import type { IncomingMessage } from 'node:http';
import type { Clock } from '@latchkey/shared/clock';
import { AppError } from '@latchkey/shared/errors';
import type { SetupOrigin } from '@latchkey/shared/http';
import { TlsRefused } from '@latchkey/shared/tls';
import type { CallSpan, Tracer } from '@latchkey/shared/traces';
import {
  type Address,
  NotStarted,
  Tries,
  Unresponsive,
  type Upstream,
  type Waiter,
} from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Attempt } from './attempt.ts';
import { requestHeaders } from './forwarded-headers.ts';
import { safeMethods } from './gateway-host.ts';

/** `http://host` before the path (RFC 9112 section 3.2.2). The router ignores it, too. */
const beforePath = /^https?:\/\/.*?(?=\/)/i;

/**
 * Of the 7 s for an answer, the 4 s of a statement in a service must be left when a request is sent. A request that waits longer
 * for a connection gets 503, which a player retries at once. Without an answer it would wait its own 8 s.
 */
const lineLimitMs = 3_000;
/**
 * The memory of a waiting request in addition to its head and body: Node's objects, the headers as a list, the attempts. Measured with
 * 4,000 waiting requests: 4,821 bytes each with heads of 0.8 KiB, 10,999 with heads of 6.5 KiB.
 */
const bytesOfRequest = 4 * 1024;

/** Why a request was refused without being sent, as it is counted for the operator. */
export type ShedReason = 'no_address' | 'line_full' | 'waited_too_long';

const shedWords: Readonly<Record<ShedReason, string>> = {
  no_address: 'no address is alive: requests are refused at once, until one is',
  line_full: 'more requests wait for a connection than the memory for them holds: further ones are refused',
  waited_too_long: `requests that waited ${lineLimitMs / 1_000} s for a connection are refused`,
};

export interface ForwardOptions {
  /** The name of the service, for the log. */
  service: string;
  upstream: Upstream;
  secret: string;
  clock: Clock;
  tracer: Tracer | null;
  /** Where a call of setup comes from: a service sees neither the client's connection nor its `Host`. Undefined for other routes. */
  setupOriginOf: ((request: IncomingMessage) => SetupOrigin) | undefined;
  /** From the request to the head of its answer. It includes the wait for a connection and further attempts. */
  answerLimitMs: number;
  /** After this long without an answer the address counts as silent, unless it has answered another request meanwhile. */
  silentAfterMs: number;
  /** Ends the event streams of clients: they do not end by themselves. */
  ending: AbortSignal;
  /** Notified of each request that no address answered, and of each answer that broke off. */
  onFault: (error: unknown) => void;
  /** Notified of each request that was refused without being sent. */
  onShed: (reason: ShedReason) => void;
}

/** Sends a request to a service, and the answer to the client. */
export function forward(request: FastifyRequest, reply: FastifyReply, options: ForwardOptions): void {
  new Forwarding(request, reply, options).start();
}

/** One request on its way, over one or more attempts. */
class Forwarding implements Waiter {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly options: ForwardOptions;
  sentCount = 0;
  readonly #isSafe: boolean;
  readonly #tries: Tries;
  readonly #path: string;
  readonly #headers: string[];
  readonly #body: Buffer | null;
  readonly #span: CallSpan | null;
  /** Null while it waits in line. */
  #attempt: Attempt | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #startedAtMs: number;
  /** Time since its beginning, as the timers have counted it. */
  #timersMs = 0;
  /** Whether the head of an answer goes to the client, or none is needed any more. */
  #isOver = false;

  constructor(request: FastifyRequest, reply: FastifyReply, options: ForwardOptions) {
    const { url = '/', method = '' } = request.raw;
    this.request = request;
    this.reply = reply;
    this.options = options;
    // Sending such a request twice does no harm.
    this.#isSafe = safeMethods.has(method);
    this.#tries = new Tries(options.upstream, this.#isSafe);
    this.#path = url.startsWith('/') ? url : url.replace(beforePath, '');
    this.#headers = requestHeaders(request, options.secret, options.setupOriginOf);
    // One span for all attempts: `retries` is the number of attempts after the first.
    this.#span = options.tracer?.call('client', `forward to ${options.service}`, {}, request.raw) ?? null;
    if (this.#span) this.#headers.push('traceparent', this.#span.traceparent);
    this.#body = Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : null;
    this.#startedAtMs = options.clock.monotonic();
  }

  start(): void {
    this.#arm();
    this.reply.raw.on('close', () => this.#end());
    this.#begin();
  }

  bytes(): number {
    let bytes = bytesOfRequest + this.#path.length + (this.#body?.length ?? 0);
    // With `: ` or the line end.
    for (const text of this.#headers) bytes += text.length + 2;
    return bytes;
  }

  onHead(): void {
    this.#isOver = true;
    this.#span?.end(undefined, { retries: this.#tries.count() - 1 });
    clearTimeout(this.#timer);
  }

  onUnanswered(error: Error): void {
    if (!this.turnFrom(error)) this.#fail(error);
  }

  turnFrom(error: Error): boolean {
    if (!this.#tries.next(error)) return false;
    this.#begin();
    return true;
  }

  /** Its turn has come. */
  admit(address: Address): void {
    // The timer may be late if this process is short of processor time, so the request may still be in line.
    if (this.#elapsedMs() >= lineLimitMs) {
      this.#shed('waited_too_long');
      return;
    }
    this.#tries.address = address;
    this.#send(address);
  }

  refuse(): void {
    this.#shed('no_address');
  }

  #begin(): void {
    const { address } = this.#tries;
    const { upstream } = this.options;
    this.#attempt = null;
    if (address?.hasRoom()) this.#send(address);
    else if (address) {
      if (!upstream.line.add(this)) this.#shed('line_full');
    } else if (upstream.size() > 0) this.#shed('no_address');
    else this.#fail(upstream.whyLost());
  }

  #send(address: Address): void {
    this.sentCount++;
    const attempt = new Attempt(this, address);
    this.#attempt = attempt;
    address.pool.dispatch(
      {
        method: this.request.raw.method ?? '',
        path: this.#path,
        headers: this.#headers,
        body: this.#body,
        // This class has its own limit. The limit of the connection would end requests that have been given more time.
        headersTimeout: 0,
      },
      attempt,
    );
  }

  /** Checks the clock, too: timers are late when this process is busy, but clients do not wait longer. */
  #elapsedMs(): number {
    return Math.max(this.#timersMs, this.options.clock.monotonic() - this.#startedAtMs);
  }

  #arm(): void {
    const { answerLimitMs, silentAfterMs } = this.options;
    const leftMs = answerLimitMs - this.#elapsedMs();
    const waitMs = Math.max(0, Math.min(silentAfterMs, leftMs));
    this.#timer = setTimeout(() => {
      const isFirst = this.#timersMs === 0;
      this.#timersMs += waitMs;
      if (this.#elapsedMs() >= answerLimitMs) this.#giveUp();
      else {
        this.#arm();
        // An answer that has come while this process was busy is read before its address counts as silent.
        setImmediate(() => this.#checkSilence(isFirst));
      }
    }, waitMs);
  }

  /** @param isFirst whether the request may leave an address for its silence. Later it waits: all addresses may be as slow */
  #checkSilence(isFirst: boolean): void {
    if (this.#isOver) return;
    const attempt = this.#attempt;
    if (!attempt) {
      if (this.#elapsedMs() >= lineLimitMs) this.#shed('waited_too_long');
      return;
    }
    const isBegun = attempt.isBegun();
    // A request that changes something may have been done, so it waits for its answer until the limit.
    if ((this.#isSafe || !isBegun) && this.options.upstream.isLost()) {
      this.#shed('no_address');
      return;
    }
    const isLeft = isFirst ? !attempt.isAddressAlive() : attempt.address.isLost;
    if (isLeft && this.turnFrom(isBegun ? new Unresponsive() : new NotStarted('it waits for a connection')))
      attempt.leave();
  }

  #giveUp(): void {
    this.#attempt?.address.avoid();
    this.#fail(new Error(`no answer within ${this.options.answerLimitMs} ms`));
  }

  /** The client has its answer, or has gone. */
  #end(failure = 'client_left'): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#span?.end(failure);
    this.options.upstream.line.remove(this);
    this.#attempt?.leave();
  }

  /** Without a cause, so that not each request is logged: there may be thousands a second. */
  #shed(reason: ShedReason): void {
    this.#end(reason);
    if (this.#isAnswered()) return;
    this.options.onShed(reason);
    const lost = reason === 'no_address' ? this.options.upstream.whyLost() : null;
    const fault = lost instanceof TlsRefused ? lost : new Error(shedWords[reason]);
    this.options.onFault(fault);
    this.reply.send(
      new AppError('DEPENDENCY_UNAVAILABLE', { call: { ...this.#call(), why: fault.message } }),
    );
  }

  #fail(cause: unknown): void {
    this.#end('unanswered');
    if (this.#isAnswered()) return;
    this.options.onFault(cause);
    this.reply.send(new AppError('DEPENDENCY_UNAVAILABLE', { cause, call: this.#call() }));
  }

  #isAnswered(): boolean {
    return this.reply.sent || this.reply.raw.destroyed;
  }

  #call(): { upstream: string; tries: number } {
    return { upstream: this.options.service, tries: this.sentCount };
  }
}
