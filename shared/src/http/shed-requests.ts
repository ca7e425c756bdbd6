import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { AppError, toProblem } from '../errors/errors.ts';
import { type OperatorLog, type RequestLog, redact, redactId, redactPath } from '../log/index.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { Admission } from './admission.ts';
import type { CrossOriginHeaders } from './raw-answer.ts';
import { createRanking, routeOfRefused } from './request-rank.ts';

/** How a host refuses requests while more come than it can serve. */
export interface OverloadOptions {
  /** How long requests may wait for the event loop, in milliseconds (`OVERLOAD_DELAY_MS`). */
  targetMs: number;
  /** From 0 to 1, without 1. */
  random: () => number;
  /** Milliseconds that never go back, with fractions. A turn of the event loop is measured by them. */
  nowMs: () => number;
  /** Whether the callers are a gateway and other services. */
  isBehindGateway: boolean;
  /** Further headers of each refusal. */
  headers?: Readonly<Record<string, string>>;
}

/** What refusals need of their host. */
export interface SheddingHost {
  requestIdOf: (request: IncomingMessage) => string;
  clientIpOf: (request: IncomingMessage) => string;
  crossOriginHeaders: CrossOriginHeaders;
  refuseTransferCoding: (request: IncomingMessage) => Error | null;
  isDraining: () => boolean;
  requestLog: RequestLog | null;
  operatorLog: OperatorLog;
  metrics: Metrics;
  keepAliveMs: number;
  /** Whether the process can answer a request for a key at once, from memory. Called once at most for each request. */
  isKnown: (request: IncomingMessage) => boolean;
}

/** Answers a request that is refused. @returns whether it was */
export type Shedder = (request: IncomingMessage, response: ServerResponse) => boolean;

/** hls.js and our player wait by rules of their own. Other clients come back at different times. */
const mostRetrySeconds = 3;
/** Overloads that follow each other within this time are logged once. */
const logEveryMs = 60_000;

/** Node's parser calls this function for each request, before it makes an answer. */
interface ParsedSocket extends Socket {
  parser?: { onIncoming?: ((request: IncomingMessage, keepsAlive: boolean) => number) | null } | null;
  /** The answer under way, after which this one would have to come. */
  _httpMessage?: ServerResponse | null;
}

/**
 * Refuses requests with 503 while the event loop is late because more come than the process can serve.
 *
 * A key that the process can answer at once from memory is always served: a refusal costs more than half of such an answer, so refusals would
 * cost more than they save. What may be refused is dearer: new tokens, new leases, and what is forwarded.
 *
 * A refusal is written at Node's parser, before there is an object for the answer: that object takes half of the time of a
 * bare request, and a flood of refusals must leave time for those that are served. Requests with a body, of other methods, or whose
 * connection closes are refused as the framework's listener gets them, because Node then reads or closes what is left.
 * `shed-requests.test.ts` finds out if a release of Node has no such parser. Every request is then refused in the second way.
 */
export function shedRequests(server: Server, overload: OverloadOptions, host: SheddingHost): Shedder {
  const { refuseTransferCoding, isDraining } = host;
  const admission = createAdmission(overload, host);
  const refusal = createRefusal(overload, host);
  /** The request that was counted last, and the one that was refused and has no answer yet. */
  let counted: IncomingMessage | null = null;
  let refused: IncomingMessage | null = null;
  let isTurnOpen = false;
  const endTurn = () => {
    isTurnOpen = false;
    admission.endTurn(overload.nowMs());
  };
  function admits(request: IncomingMessage): boolean {
    counted = request;
    if (!isTurnOpen) {
      isTurnOpen = true;
      // Immediates run once everything that was ready has been read.
      setImmediate(endTurn);
    }
    return admission.admits(overload.nowMs(), request);
  }

  // The parser belongs to the socket that carries the text of requests.
  const opened = server instanceof TlsServer ? 'secureConnection' : 'connection';
  server.on(opened, (socket: ParsedSocket) => {
    const { parser } = socket;
    const proceed = parser?.onIncoming;
    if (!parser || !proceed) return;
    let hasTimeout = false;
    parser.onIncoming = (request, keepsAlive) => {
      if (!admits(request)) {
        if (
          keepsAlive &&
          isPlain(request) &&
          isFree(socket) &&
          !isDraining() &&
          !refuseTransferCoding(request)
        ) {
          // Node sets it with the first answer of a connection, which this is not to Node.
          if (!socket.timeout) {
            socket.setTimeout(host.keepAliveMs);
            hasTimeout = true;
          }
          socket.write(refusal.toText(request), 'latin1');
          refusal.note(request);
          return 0;
        }
        refused = request;
      }
      if (hasTimeout) {
        socket.setTimeout(0);
        hasTimeout = false;
      }
      return proceed(request, keepsAlive);
    };
  });

  return (request, response) => {
    const isRefused = request === counted ? request === refused : !admits(request);
    refused = null;
    // The router closes connections whose bodies may have been read in two ways.
    if (!isRefused || refuseTransferCoding(request)) return false;
    refusal.send(request, response, isDraining());
    return true;
  };
}

function createAdmission(
  { targetMs, random, nowMs, isBehindGateway }: OverloadOptions,
  { isKnown, operatorLog }: SheddingHost,
): Admission<IncomingMessage> {
  const rankOf = createRanking(isBehindGateway);
  return new Admission({
    targetMs,
    random,
    rankOf(request) {
      const rank = rankOf(request);
      return rank === 'usual' && isKnown(request) ? 'always' : rank;
    },
    idleMs: () => performance.nodeTiming.idleTime,
    onChange: createChangeLog(operatorLog, { targetMs, nowMs }),
  });
}

function isPlain({ method, headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.upgrade !== undefined || headers.expect !== undefined) return false;
  return headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;
}

/** Whether an answer can be written now: none is under way, and the client has read those before. */
function isFree(socket: ParsedSocket): boolean {
  return !socket._httpMessage && socket.writableLength === 0 && socket.writable;
}

const overloadFailure = {
  cause: 'more requests come than this process can serve',
  upstream: null,
  tries: null,
} as const;

interface Refusal {
  /** The whole answer. */
  toText(request: IncomingMessage): string;
  /** Logs and counts it. */
  note(request: IncomingMessage): void;
  send(request: IncomingMessage, response: ServerResponse, closes: boolean): void;
}

function createRefusal(overload: OverloadOptions, host: SheddingHost): Refusal {
  const { requestIdOf, clientIpOf, crossOriginHeaders, requestLog, metrics } = host;
  const { random, headers: further = {} } = overload;
  const problem = new AppError('DEPENDENCY_UNAVAILABLE', {
    detail: 'More requests come than the server can serve. Try again later.',
  });
  // The id is the last member.
  const [before = '', after = ''] = JSON.stringify(toProblem(problem, '\n')).split('\\n');
  const bodyOf = (id: string) => before + id + after;
  const dateOf = createDate();
  const shed = metrics.shedRequests.labels({ upstream: 'own', reason: 'overloaded' });
  /** Of the request that is being refused. */
  let id = '';

  /** In the order of the error handler. */
  function headersOf(request: IncomingMessage, length: number): string[] {
    const headers = ['x-request-id', id, 'cache-control', 'no-store', 'x-content-type-options', 'nosniff'];
    const crossOrigin = crossOriginHeaders(request);
    for (const name in crossOrigin) headers.push(name, crossOrigin[name] as string);
    for (const name in further) headers.push(name, further[name] as string);
    const retrySeconds = 1 + Math.floor(random() * mostRetrySeconds);
    headers.push('retry-after', String(retrySeconds), 'content-type', 'application/problem+json');
    headers.push('content-length', String(length));
    return headers;
  }

  function note(request: IncomingMessage): void {
    const { method = '', url = '', headers } = request;
    const userAgent = headers['user-agent'];
    const route = routeOfRefused(request);
    shed.inc();
    metrics.observeRequest(route ?? 'none', method, problem.status, 0);
    requestLog?.write({
      requestId: redactId(id),
      method,
      path: redactPath(url),
      route,
      status: problem.status,
      durationMs: 0,
      clientIp: clientIpOf(request),
      userAgent: userAgent === undefined ? null : redact(userAgent),
      principal: null,
      code: problem.code,
      failure: overloadFailure,
    });
  }

  return {
    toText(request) {
      id = requestIdOf(request);
      const body = bodyOf(id);
      const headers = headersOf(request, body.length);
      let text = 'HTTP/1.1 503 Service Unavailable\r\n';
      for (let at = 0; at < headers.length; at += 2) text += `${headers[at]}: ${headers[at + 1]}\r\n`;
      const seconds = Math.floor(host.keepAliveMs / 1_000);
      return `${text}Date: ${dateOf()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n\r\n${body}`;
    },
    note,
    send(request, response, closes) {
      id = requestIdOf(request);
      const body = bodyOf(id);
      const headers = headersOf(request, body.length);
      if (closes) headers.push('connection', 'close');
      response.writeHead(problem.status, headers);
      response.end(body, 'latin1');
      note(request);
    },
  };
}

/** The `Date` header (RFC 9110 section 6.6.1). It has whole seconds, so it is made once in each. */
function createDate(): () => string {
  let second = 0;
  let text = '';
  return () => {
    const nowMs = Date.now();
    const now = Math.floor(nowMs / 1_000);
    if (now !== second) {
      second = now;
      text = new Date(nowMs).toUTCString();
    }
    return text;
  };
}

/** Says when an overload begins and ends. */
function createChangeLog(
  log: OperatorLog,
  { targetMs, nowMs }: Pick<OverloadOptions, 'targetMs' | 'nowMs'>,
): (isOverloaded: boolean) => void {
  let loggedMs = Number.NEGATIVE_INFINITY;
  let isLogged = false;
  return (isOverloaded) => {
    if (isOverloaded) {
      const now = nowMs();
      isLogged = now - loggedMs > logEveryMs;
      if (!isLogged) return;
      loggedMs = now;
      log.warn(
        `more requests come than this process can serve: they have waited far more than ${targetMs} ms (OVERLOAD_DELAY_MS) for a second, and a part of them gets 503. Add processes`,
      );
    } else if (isLogged) log.info('the overload is over: every request is served');
  };
}
