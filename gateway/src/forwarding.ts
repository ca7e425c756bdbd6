import type { IncomingMessage } from 'node:http';
import type { Clock } from '@latchkey/shared/clock';
import { AppError } from '@latchkey/shared/errors';
import type { SetupOrigin } from '@latchkey/shared/http';
import type { Renewable } from '@latchkey/shared/seal';
import { TlsRefused } from '@latchkey/shared/tls';
import type { CallSpan, Tracer } from '@latchkey/shared/traces';
import {
  type Member,
  NotStarted,
  Tries,
  Unresponsive,
  type Upstream,
  type Waiter,
} from '@latchkey/shared/upstream';
import { Attempt, type AttemptedRequest } from './attempt.ts';
import type { Exchange } from './exchange.ts';
import { requestHeaders } from './forwarded-headers.ts';
import type { OpenStreams } from './open-streams.ts';

/** Methods that change nothing, so sending them twice does no harm (RFC 9110 section 9.2.1). */
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);
/** `http://host` before the path (RFC 9112 section 3.2.2). The router ignores it, too. */
const beforePath = /^https?:\/\/.*?(?=\/)/i;

/**
 * Of the 7 s for an answer, the 4 s of a statement in a service must be left when a request is sent. A request that waits longer
 * for a connection gets 503, which a player retries at once. Without an answer it would wait its own 8 s.
 */
export const lineLimitMs = 3_000;
/** The unit of `Waiter.weight`. */
const bytesPerWeight = 16 * 1024;
/**
 * The memory of a waiting request beside its head and body: Node's objects, the headers as a list, the attempts. Measured with 4,000 waiting
 * requests: 4,821 bytes each with heads of 0.8 KiB, 10,999 with heads of 6.5 KiB.
 */
const bytesOfRequest = 4 * 1024;

/**
 * With the lines that are added, a head of up to 16 KiB may be over the limit of the service, which then answers without the request's id.
 * Twice what a large token takes.
 */
const longestPlainHead = 8 * 1024;

/** Why a request was refused without being sent, as it is counted for the operator. */
export type ShedReason = 'no_address' | 'line_full' | 'waited_too_long';

const shedWords: Readonly<Record<ShedReason, string>> = {
  no_address: 'no address is alive: requests are refused at once, until one is',
  line_full: 'more requests wait for a connection than can be served in time: further ones are refused',
  waited_too_long: `requests that waited ${lineLimitMs / 1_000} s for a connection are refused`,
};

export interface ForwardOptions {
  /** The name of the service, for the log. */
  service: string;
  upstream: Upstream;
  secret: Renewable<string>;
  clock: Clock;
  tracer: Tracer | null;
  /** Where a call of setup comes from: a service sees neither the client's connection nor its `Host`. */
  setupOriginOf: (request: IncomingMessage) => SetupOrigin;
  /** From the request to the head of its answer. It includes the wait for a connection and further attempts. */
  answerLimitMs: number;
  /** After this long without an answer the address is probed. */
  doubtAfterMs: number;
  streams: OpenStreams;
  /** How long a request may expect to wait for a connection, in milliseconds, if it is not refused at once. 3,000 at most. */
  expectedWaitLimitMs: (request: IncomingMessage) => number;
  /** Whether its requests are `GET` without a body, and so can be sent by `Member.plain`. Default: no. */
  isPlain?: boolean;
  /** Notified of each request that no address answered, and of each answer that broke off. */
  onFault: (error: unknown) => void;
  /** Notified of each request that was refused without being sent. */
  onShed: (reason: ShedReason) => void;
}

/** One request on its way to a service and its answer on the way to the client, over one or more attempts. */
export class Forwarding implements Waiter, AttemptedRequest {
  readonly weight: number;
  readonly exchange: Exchange;
  readonly service: string;
  sentCount = 0;
  readonly #options: ForwardOptions;
  readonly #isSafe: boolean;
  readonly #tries: Tries;
  readonly #path: string;
  readonly #headers: string[];
  readonly #headBytes: number;
  readonly #body: Buffer | null;
  readonly #span: CallSpan | null;
  /** Null while it waits in line. */
  #attempt: Attempt | null = null;
  #timer: NodeJS.Timeout | undefined;
  readonly #startedAtMs: number;
  /** Time since its beginning, as the timers have counted it. */
  #timersMs = 0;

  /** @param body null where the request has none */
  constructor(exchange: Exchange, body: Buffer | null, options: ForwardOptions) {
    const { url = '/', method = '' } = exchange.request;
    this.exchange = exchange;
    this.service = options.service;
    this.#options = options;
    this.#isSafe = safeMethods.has(method);
    this.#tries = new Tries(options.upstream, this.#isSafe);
    this.#path = url.startsWith('/') ? url : url.replace(beforePath, '');
    this.#headers = requestHeaders(exchange, options.secret.reveal(), options.setupOriginOf);
    // One for all attempts: `retries` says how many there were.
    this.#span =
      options.tracer?.call('client', `forward to ${options.service}`, {}, exchange.request) ?? null;
    if (this.#span) this.#headers.push('traceparent', this.#span.traceparent);
    this.#headBytes = bytesOf(this.#path, this.#headers);
    this.#body = body;
    this.#startedAtMs = options.clock.monotonic();
    this.weight = (bytesOfRequest + this.#headBytes + (body?.length ?? 0)) / bytesPerWeight;
    this.#arm();
    exchange.response.on('close', () => this.#end());
    this.#start();
  }

  get limitMs(): number {
    return this.#options.expectedWaitLimitMs(this.exchange.request);
  }

  onHead(): void {
    this.#span?.end(undefined, { retries: this.#tries.count() - 1 });
    clearTimeout(this.#timer);
  }

  notePhase(phase: unknown): void {
    this.#tries.member?.notePhase(phase);
  }

  onUnanswered(error: Error): void {
    if (!this.turnFrom(error)) this.#fail(error);
  }

  turnFrom(error: Error): boolean {
    if (!this.#tries.next(error)) return false;
    this.#start();
    return true;
  }

  onBroken(error: Error): void {
    this.#options.onFault(error);
  }

  onStream(): void {
    this.#options.streams.add(this.exchange.response);
  }

  /** Its turn has come. */
  admit(member: Member): void {
    // The timer may be late if this process is short of processor time, so the request may still be in line.
    if (this.#elapsedMs() >= lineLimitMs) {
      this.#shed('waited_too_long');
      return;
    }
    this.#tries.member = member;
    this.#send(member);
  }

  refuse(): void {
    this.#shed('no_address');
  }

  #start(): void {
    const { member } = this.#tries;
    const { upstream } = this.#options;
    this.#attempt = null;
    if (member?.hasRoom()) this.#send(member);
    else if (member) {
      if (!upstream.line.add(this)) this.#shed('line_full');
    } else if (upstream.size() > 0) this.#shed('no_address');
    else this.#fail(upstream.whyLost());
  }

  #send(member: Member): void {
    this.sentCount++;
    const attempt = new Attempt(this, member);
    this.#attempt = attempt;
    const { plain } = member;
    if (this.#options.isPlain && this.#headBytes <= longestPlainHead && plain?.isUsable()) {
      plain.send(this.#path, this.exchange.id, this.#headers, attempt);
      return;
    }
    const { method = '' } = this.exchange.request;
    // This class has its own limit. The limit of the connection would end requests that have been given more time.
    member.pool.dispatch(
      { method, path: this.#path, headers: this.#headers, body: this.#body, headersTimeout: 0 },
      attempt,
    );
  }

  /** Checks the clock, too: timers are late when this process is busy, but clients do not wait longer. */
  #elapsedMs(): number {
    return Math.max(this.#timersMs, this.#options.clock.monotonic() - this.#startedAtMs);
  }

  #arm(): void {
    const { answerLimitMs, doubtAfterMs } = this.#options;
    const leftMs = answerLimitMs - this.#elapsedMs();
    const waitMs = Math.max(0, Math.min(doubtAfterMs, leftMs));
    this.#timer = setTimeout(() => {
      this.#timersMs += waitMs;
      if (this.#elapsedMs() >= answerLimitMs) this.#giveUp();
      else void this.#doubt();
    }, waitMs);
  }

  /** Waits for a process that answers its probe, however slow it is. Leaves one that does not, if there is another. */
  async #doubt(): Promise<void> {
    this.#arm();
    const doubted = this.#attempt;
    if (!doubted) {
      if (this.#elapsedMs() >= lineLimitMs) this.#shed('waited_too_long');
      return;
    }
    // A request that changes something may have been done, so it waits for its answer until the limit.
    if ((this.#isSafe || !doubted.isBegun()) && !this.#options.upstream.hasAlive())
      return this.#shed('no_address');
    if (await doubted.member.isAlive()) return;
    if (doubted !== this.#attempt || doubted.isOver()) return;
    if (this.turnFrom(doubted.isBegun() ? new Unresponsive() : new NotStarted('it waits for a connection')))
      doubted.leave();
  }

  #giveUp(): void {
    this.#attempt?.member.penalize();
    this.#fail(new Error(`no answer within ${this.#options.answerLimitMs} ms`));
  }

  /** The client has its answer, or has gone. */
  #end(failure = 'client_left'): void {
    clearTimeout(this.#timer);
    this.#span?.end(failure);
    this.#options.upstream.line.remove(this);
    this.#attempt?.leave();
  }

  /** Without a cause, so that not each request is logged: there may be thousands a second. */
  #shed(reason: ShedReason): void {
    this.#end(reason);
    if (this.exchange.isAnswered() || this.exchange.response.destroyed) return;
    this.#options.onShed(reason);
    const fault = this.#describeShed(reason);
    this.#options.onFault(fault);
    this.exchange.refuse(
      new AppError('DEPENDENCY_UNAVAILABLE', { call: { ...this.#call(), why: fault.message } }),
    );
  }

  #describeShed(reason: ShedReason): Error {
    const lost = reason === 'no_address' ? this.#options.upstream.whyLost() : null;
    return lost instanceof TlsRefused ? lost : new Error(shedWords[reason]);
  }

  #fail(cause: unknown): void {
    this.#end('unanswered');
    if (this.exchange.isAnswered() || this.exchange.response.destroyed) return;
    this.#options.onFault(cause);
    this.exchange.refuse(new AppError('DEPENDENCY_UNAVAILABLE', { cause, call: this.#call() }));
  }

  #call(): { upstream: string; tries: number } {
    return { upstream: this.service, tries: this.sentCount };
  }
}

/** Of a head, with `: ` and the line end of each header. */
function bytesOf(path: string, headers: readonly string[]): number {
  let bytes = path.length;
  for (const text of headers) bytes += text.length + 2;
  return bytes;
}
