import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../contracts/index.ts';
import type { Tracer } from '../traces/index.ts';
import { refuseFragment, refuseHost } from './malformed-requests.ts';
import { isOfAnotherSite } from './own-page.ts';
import { PlainExchange, type PlainExchangeHost } from './plain-exchange.ts';
import type { App } from './routes.ts';
import type { Shedder } from './shed-requests.ts';

/** A 200 that a service gives without the router. */
interface PlainAnswer {
  /** The pattern of the route that would have answered. */
  route: string;
  /** `redactPath` of the target. */
  path: string;
  principal: Principal;
  /** Its own headers, without those of every answer. */
  headers: Readonly<Record<string, string>>;
  /** The body, one byte a character (Latin-1). */
  body: string;
}

/** An answer that a service gives later without the router, whatever it will be. */
export interface DeferredAnswer {
  /** The pattern of the route that would have answered. */
  route: string;
  /** `redactPath` of the target. */
  path: string;
  /** Called once, at once. If it throws, the client gets the error. */
  begin(exchange: PlainExchange): void;
}

/**
 * Answers a request of the usual form without the router, with what the router would have answered.
 *
 * @returns null where the router must answer. The call then had no effect that a second look at the request could double
 */
export type PlainAnswerer = (request: IncomingMessage) => PlainAnswer | DeferredAnswer | null;

const plainDecorator = 'answerPlainRequests';

/** Lets a service answer plain requests of this host. One service of a process can. */
export function addPlainAnswerer(app: App, answerer: PlainAnswerer): void {
  app.getDecorator<(answerer: PlainAnswerer) => void>(plainDecorator)(answerer);
}

/** How a host records requests. */
export interface Tracing {
  tracer: Tracer;
  /** Whether the `traceparent` of a request is taken. */
  isTrusted: (request: IncomingMessage) => boolean;
  /** Whether other requests begin a trace. Not in a service: other calls are the jobs of services, such as the pull of the feed each second. */
  beginsTraces: boolean;
}

/** Their callers are load balancers that ask each second: such traces would hide the others. */
const untraced = new Set(['/health', '/ready']);

interface PlainHost extends PlainExchangeHost {
  tracing: Tracing | null;
  refuseTransferCoding: (request: IncomingMessage) => Error | null;
  isDraining: () => boolean;
  /** Makes what refuses requests because more come than can be served. Left out: none are. */
  createShedder?: ((isKnown: (request: IncomingMessage) => boolean) => Shedder) | undefined;
}

/**
 * Answers plain requests below the router, which takes half of the time of a key request that needs nothing else. Whatever is not plain, or
 * is not a 200, goes to the router as before. `gateway/src/plain-key-answers.test.ts` compares the answers of both byte by byte.
 */
export function answerPlainRequests(app: App, host: PlainHost): void {
  let answerer: PlainAnswerer | null = null;
  app.decorate(plainDecorator, (added: PlainAnswerer) => {
    answerer = added;
  });
  // While the server closes, the router says so to its clients.
  app.addHook('preClose', async () => {
    answerer = null;
  });
  const { server } = app;
  const [route, ...others] = server.listeners('request') as ((
    request: IncomingMessage,
    response: ServerResponse,
  ) => void)[];
  if (!route || others.length > 0) throw new Error('the framework has one listener for requests');
  server.removeAllListeners('request');
  /** A request whose answer was looked up before its turn, and the answer. It counts as given, so it is not looked up again. */
  let known: IncomingMessage | null = null;
  let knownAnswer: PlainAnswer | null = null;
  const find = (request: IncomingMessage) =>
    answerer && mayBePlain(request, host) ? answerer(request) : null;
  const shed = host.createShedder?.((request) => {
    const answer = find(request);
    if (!answer || 'begin' in answer) return false;
    known = request;
    knownAnswer = answer;
    return true;
  });
  const { tracing } = host;
  const answerRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (shed?.(request, response)) return;
    const startedAtMs = performance.now();
    const answer = request === known ? knownAnswer : find(request);
    known = null;
    knownAnswer = null;
    if (!answer) route(request, response);
    else if ('begin' in answer)
      begin(answer, new PlainExchange(request, response, startedAtMs, answer, host));
    else send(answer, request, response, startedAtMs, host);
  };
  server.on('request', tracing ? traceRequests(tracing, answerRequest) : answerRequest);
}

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

function traceRequests(
  { tracer, isTrusted, beginsTraces }: Tracing,
  answer: RequestListener,
): RequestListener {
  return (request, response) => {
    const continues = request.headers.traceparent !== undefined && isTrusted(request);
    if (untraced.has(request.url ?? '') || !(continues || beginsTraces)) answer(request, response);
    else tracer.serve(request, continues, () => answer(request, response));
  };
}

function mayBePlain(request: IncomingMessage, { isDraining, refuseTransferCoding }: PlainHost): boolean {
  const { headers } = request;
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  if (headers.expect !== undefined || headers.upgrade !== undefined || isDraining()) return false;
  // A hook of the router may have to drop this cookie.
  if (headers.cookie !== undefined && isOfAnotherSite(headers)) return false;
  return !(refuseTransferCoding(request) ?? refuseHost(request) ?? refuseFragment(request));
}

/** As the router does, turns an error that is thrown into an answer. */
function begin(answer: DeferredAnswer, exchange: PlainExchange): void {
  try {
    answer.begin(exchange);
  } catch (error) {
    exchange.refuse(error as Error);
  }
}

function send(
  { route, path, principal, headers: own, body }: PlainAnswer,
  request: IncomingMessage,
  response: ServerResponse,
  startedAtMs: number,
  { requestIdOf, clientIpOf, crossOriginHeaders, observe }: PlainHost,
): void {
  const id = requestIdOf(request);
  const clientIp = clientIpOf(request);
  response.on('close', () => {
    const durationMs = performance.now() - startedAtMs;
    observe({
      id,
      request,
      response,
      path,
      route,
      principal,
      code: null,
      failure: null,
      clientIp,
      durationMs,
    });
  });
  // In the order of the router's answer.
  const headers = ['x-request-id', id, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
  const crossOrigin = crossOriginHeaders(request);
  for (const name in crossOrigin) headers.push(name, crossOrigin[name] as string);
  for (const name in own) headers.push(name, own[name] as string);
  headers.push('content-length', String(body.length));
  response.writeHead(200, headers);
  // Text, because Node writes it together with the head: a buffer would be a second write, which costs a third of the whole answer.
  response.end(body, 'latin1');
}
