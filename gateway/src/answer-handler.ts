import type { IncomingHttpHeaders } from 'node:http';
import { readTellingHeaders, refusedHeader } from '@latchkey/shared/internal';
import { NotBegun, phaseHeader } from '@latchkey/shared/upstream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatcher } from 'undici';
import { responseHeaders } from './forwarded-headers.ts';
import type { OpenStreams } from './open-streams.ts';

/** An answer up to this size is sent as one piece: keys have 16 octets, and most pages of a list fit too. */
const wholeOctets = 16 * 1024;

/** What becomes of a request at one address. */
export interface Outcome {
  streams: OpenStreams;
  /** The service says that it is about to end. */
  onEnding: () => void;
  /** The head of an answer goes to the client: the time limit is over. */
  onHead: () => void;
  /** Nothing of an answer has gone to the client. */
  onUnanswered: (error: Error) => void;
  /** The client has got a part of the answer, and will not get the rest. */
  onBroken: (error: Error) => void;
}

/** Writes an answer to the client as it comes: small ones as one piece, large ones and streams bit by bit. */
export class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #outcome: Outcome;
  #status = 0;
  #headers: Record<string, string | string[]> = {};
  #held: Buffer[] | null = null;
  #ended = false;

  constructor(request: FastifyRequest, reply: FastifyReply, outcome: Outcome) {
    this.#request = request;
    this.#reply = reply;
    this.#outcome = outcome;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const { raw } = this.#reply;
    const leave = () => this.#ended || controller.abort(new Error('nobody waits for the answer any more'));
    if (raw.destroyed || this.#reply.sent) leave();
    else raw.once('close', leave);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // Interim answers (RFC 9110 section 15.2) say nothing to the client.
    if (status < 200) return;
    if (headers[phaseHeader] === 'starting') {
      controller.abort(new NotBegun());
      return;
    }
    if (headers[phaseHeader] === 'ending') this.#outcome.onEnding();
    const unusable = this.#whyUnusable(headers);
    if (unusable) {
      controller.abort(new Error(unusable));
      return;
    }
    const told = readTellingHeaders(headers);
    this.#request.principal = told.principal as FastifyRequest['principal'];
    this.#request.errorCode = told.code;
    this.#request.answeredRoute = told.route;
    this.#status = status;
    this.#headers = responseHeaders(headers, this.#reply.getHeaders());
    const length = Number(headers['content-length'] ?? Number.NaN);
    if (length <= wholeOctets) this.#held = [];
    else this.#begin(Number.isNaN(length));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#held) {
      this.#held.push(chunk);
      return;
    }
    const { raw } = this.#reply;
    // A stream that was ended from this side takes no more.
    if (raw.writableEnded || raw.write(chunk)) return;
    controller.pause();
    raw.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#ended = true;
    const { raw } = this.#reply;
    if (this.#held) {
      if (this.#reply.sent) return;
      this.#outcome.onHead();
      this.#reply.hijack();
      raw.writeHead(this.#status, this.#headers);
      const [only] = this.#held;
      const octets = only && this.#held.length === 1 ? only : Buffer.concat(this.#held);
      // As text of one octet a letter: Node writes text together with the head, and octets apart from it.
      raw.end(octets.toString('latin1'), 'latin1');
    } else if (!raw.writableEnded) raw.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#ended = true;
    const { raw } = this.#reply;
    if (raw.destroyed || raw.writableEnded) return;
    if (!raw.headersSent) {
      this.#outcome.onUnanswered(error);
      return;
    }
    this.#outcome.onBroken(error);
    // The head is out, so the only way to say that the rest is missing is to break off.
    raw.destroy();
  }

  #whyUnusable(headers: IncomingHttpHeaders): string | null {
    if (this.#reply.sent) return 'the answer comes too late';
    // Not the client's fault, so not the client's 401: a player would give up for good.
    return headers[refusedHeader] === undefined ? null : 'it does not know this INTERNAL_SECRET';
  }

  /** Sends the head. Of a stream at once: its first event may be long in coming. */
  #begin(isStream: boolean): void {
    this.#outcome.onHead();
    this.#reply.hijack();
    const { raw } = this.#reply;
    // The stream has the connection to itself: kept after its end, it would hold the end of the process.
    if (isStream) this.#headers.connection = 'close';
    raw.writeHead(this.#status, this.#headers);
    if (!isStream) return;
    raw.flushHeaders();
    this.#outcome.streams.add(raw);
  }
}
