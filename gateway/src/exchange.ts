import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LoggedRevocation, Principal } from '@latchkey/shared/contracts';
import type { ErrorCode } from '@latchkey/shared/errors';
import type { RequestFailure } from '@latchkey/shared/log';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A forwarded request and its answer, on the client's side. `PlainExchange` is one that the router does not get. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  /** Always a valid IP address. */
  readonly clientIp: string;
  /** The pattern of the gateway's route. */
  readonly route: string | undefined;
  /** Whether the client gets an answer already, or someone else writes it. */
  isAnswered(): boolean;
  /** Headers that the gateway sets on every answer: request id, caching, CORS. */
  ownHeaders(): Record<string, unknown>;
  /** Notes what the log line says of the answer. The last call counts. */
  note(
    principal: Principal | null,
    code: ErrorCode | null,
    answeredRoute: string | null,
    failure: RequestFailure | null,
    revocation?: LoggedRevocation,
  ): void;
  /** The caller writes the answer to `response` from now on. */
  take?(): void;
  /** Answers with an error. */
  refuse(error: Error): void;
}

/** A request that the router has got. */
export class RoutedExchange implements Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.request = request.raw;
    this.response = reply.raw;
    this.#request = request;
    this.#reply = reply;
  }

  get id(): string {
    return this.#request.id;
  }

  get clientIp(): string {
    return this.#request.clientIp;
  }

  get route(): string | undefined {
    return this.#request.routeOptions.url;
  }

  isAnswered(): boolean {
    return this.#reply.sent;
  }

  ownHeaders(): Record<string, unknown> {
    return this.#reply.getHeaders();
  }

  note(
    principal: Principal | null,
    code: ErrorCode | null,
    answeredRoute: string | null,
    failure: RequestFailure | null,
    revocation?: LoggedRevocation,
  ): void {
    this.#request.failure = failure;
    this.#request.principal = principal;
    this.#request.errorCode = code;
    this.#request.answeredRoute = answeredRoute;
    this.#request.revocation = revocation ?? null;
  }

  take(): void {
    this.#reply.hijack();
  }

  refuse(error: Error): void {
    this.#reply.send(error);
  }
}
