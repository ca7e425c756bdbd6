import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../contracts/index.ts';
import { type ErrorCode, toProblem } from '../errors/errors.ts';
import type { RequestFailure } from '../log/index.ts';
import { describeFailure } from './describe-failure.ts';
import { problemType, type ReportFailure, retryAfterOf, toAppError } from './error-handler.ts';
import type { ResponseObserver } from './observe-response.ts';
import type { CrossOriginHeaders } from './raw-answer.ts';

/** What every exchange of a host needs. */
export interface PlainExchangeHost {
  requestIdOf: (request: IncomingMessage) => string;
  clientIpOf: (request: IncomingMessage) => string;
  crossOriginHeaders: CrossOriginHeaders;
  observe: ResponseObserver;
  reportFailure: ReportFailure;
}

/**
 * A plain request without a body, and its answer, which a service gives later without the router. It does what the router does around a
 * handler: the request id, the headers of each answer, the answer to an error, the log line and the metrics.
 */
export class PlainExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly id: string;
  readonly clientIp: string;
  /** The pattern of the route that would have answered. */
  readonly route: string;
  readonly #host: PlainExchangeHost;
  #principal: Principal | null = null;
  #code: ErrorCode | null = null;
  #failure: RequestFailure | null = null;
  #answeredRoute: string | null = null;

  /** @param startedAtMs on the clock of `performance.now` */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    startedAtMs: number,
    { route, path }: { route: string; path: string },
    host: PlainExchangeHost,
  ) {
    this.request = request;
    this.response = response;
    this.route = route;
    this.id = host.requestIdOf(request);
    this.clientIp = host.clientIpOf(request);
    this.#host = host;
    response.on('close', () =>
      host.observe({
        id: this.id,
        request,
        response,
        path,
        route: this.#answeredRoute ?? route,
        principal: this.#principal,
        code: this.#code,
        failure: this.#failure,
        clientIp: this.clientIp,
        durationMs: performance.now() - startedAtMs,
      }),
    );
  }

  /** Whether the client gets an answer already. */
  isAnswered(): boolean {
    return this.response.headersSent;
  }

  /** Headers of every answer, in the order of the router's. */
  ownHeaders(): Record<string, string> {
    const headers: Record<string, string> = {
      'x-request-id': this.id,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    };
    const crossOrigin = this.#host.crossOriginHeaders(this.request);
    for (const name in crossOrigin) headers[name] = crossOrigin[name] as string;
    return headers;
  }

  /** Notes what the log line says of the answer. The last call counts. */
  note(
    principal: Principal | null,
    code: ErrorCode | null,
    answeredRoute: string | null,
    failure: RequestFailure | null,
  ): void {
    this.#principal = principal;
    this.#code = code;
    this.#failure = failure;
    this.#answeredRoute = answeredRoute;
  }

  /** Answers with an error, as the router's error handler does. Only a 500 or 503 is expected: others need more headers. */
  refuse(thrown: Error): void {
    if (this.isAnswered() || this.response.destroyed) return;
    const error = toAppError(thrown);
    this.#code = error.code;
    if (error.status >= 500) this.#failure = describeFailure(error, thrown);
    this.#host.reportFailure(error, thrown, this.id, this.request);
    const body = JSON.stringify(toProblem(error, this.id));
    const headers = this.ownHeaders();
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== null) headers['retry-after'] = retryAfter;
    headers['content-type'] = problemType;
    headers['content-length'] = String(Buffer.byteLength(body));
    this.response.writeHead(error.status, headers);
    this.response.end(body);
  }
}
