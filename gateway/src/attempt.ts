import type { IncomingHttpHeaders } from 'node:http';
import { isSecretRefused, readLogHeaders, SecretRefused } from '@latchkey/shared/internal';
import {
  elsewhereHeader,
  type Member,
  NotStarted,
  phaseHeader,
  TryElsewhere,
  UnsureReplica,
} from '@latchkey/shared/upstream';
import type { FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { responseHeaders } from './forwarded-headers.ts';
import type { Forwarding } from './forwarding.ts';

/** An answer up to this size is sent as one piece: keys have 16 octets, and most pages of a list fit too. */
const wholeOctets = 16 * 1024;

/** A request at one address. Writes the answer to the client as it comes: small ones as one piece, others bit by bit. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly member: Member;
  readonly #forwarding: Forwarding;
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #held: Buffer[] | null = null;
  #over = false;

  constructor(forwarding: Forwarding, member: Member) {
    this.#forwarding = forwarding;
    this.member = member;
    member.occupy();
  }

  /** Whether the service may have begun with it. Until then it waits for a connection. */
  isBegun(): boolean {
    return this.#controller !== null;
  }

  /** Whether nothing comes of it any more. */
  isOver(): boolean {
    return this.#over;
  }

  /** Ends it: nobody waits for the answer any more. */
  leave(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(new Error('nobody waits for the answer any more'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown and not aborted: nothing was sent yet, and `abort` would end the connection, which another request can use.
    if (this.#over) throw new Error('nobody waits for the answer any more');
    this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Interim answers (RFC 9110 section 15.2) say nothing to the client.
    if (status < 200 || this.#over) return;
    const { reply, request } = this.#forwarding;
    const unusable = this.#whyUnusable(headers);
    if (unusable) {
      controller.abort(unusable);
      return;
    }
    if (this.#isAnotherAsked(status, headers)) {
      this.#over = true;
      return;
    }
    const told = readLogHeaders(headers);
    request.principal = told.principal as FastifyRequest['principal'];
    request.errorCode = told.code;
    request.answeredRoute = told.route;
    this.#status = status;
    this.#headers = responseHeaders(headers, reply.getHeaders());
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (length <= wholeOctets) this.#held = [];
    else this.#begin(Number.isNaN(length));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#over) return;
    if (this.#held) {
      this.#held.push(chunk);
      return;
    }
    const { raw } = this.#forwarding.reply;
    // A stream that was ended from this side takes no more.
    if (raw.writableEnded || raw.write(chunk)) return;
    controller.pause();
    raw.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.member.release();
    if (this.#over) return;
    this.#over = true;
    const { reply } = this.#forwarding;
    const { raw } = reply;
    if (this.#held) {
      if (reply.sent) return;
      this.#forwarding.onHead();
      reply.hijack();
      raw.writeHead(this.#status, this.#headers);
      const [only] = this.#held;
      const octets = only && this.#held.length === 1 ? only : Buffer.concat(this.#held);
      // As text of one octet a letter: Node writes text together with the head, and octets apart from it.
      raw.end(octets.toString('latin1'), 'latin1');
    } else if (!raw.writableEnded) raw.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.member.release();
    if (this.#over) return;
    this.#over = true;
    const { raw } = this.#forwarding.reply;
    if (raw.destroyed || raw.writableEnded) return;
    if (!raw.headersSent) {
      this.#forwarding.onUnanswered(error);
      return;
    }
    this.#forwarding.onBroken(error);
    // The head is out, so the only way to say that the rest is missing is to break off.
    raw.destroy();
  }

  /** Hears what the answer says of its process, and whether another one is asked for it instead. */
  #isAnotherAsked(status: number, headers: IncomingHttpHeaders): boolean {
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
    if (this.#forwarding.reply.sent) return new Error('the answer comes too late');
    return isSecretRefused({ headers }) ? new SecretRefused() : null;
  }

  /** Sends the head. Of a stream at once: its first event may be long in coming. */
  #begin(isStream: boolean): void {
    this.#forwarding.onHead();
    const { reply } = this.#forwarding;
    reply.hijack();
    // The stream has the connection to itself: kept after its end, it would hold the end of the process.
    if (isStream) this.#headers.connection = 'close';
    reply.raw.writeHead(this.#status, this.#headers);
    if (!isStream) return;
    reply.raw.flushHeaders();
    // Any other ends by itself, and must not look whole before it has.
    if (this.#headers['content-type']?.includes('text/event-stream')) this.#forwarding.onStream();
  }
}
