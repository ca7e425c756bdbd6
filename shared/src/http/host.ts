import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { holdsCredential, holdsSession, type OperatorLog, type RequestLog } from '../log/index.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Tracer } from '../traces/index.ts';
import { schemaController } from './compile-on-use.ts';
import { decorateRequests } from './decorate-requests.ts';
import {
  addNotFound,
  createErrorHandler,
  createFailureReport,
  usualBodyLimitBytes,
} from './error-handler.ts';
import {
  createClientErrors,
  createTransferCodingCheck,
  refuseFragment,
  refuseHost,
} from './malformed-requests.ts';
import type { MutualTls } from './mutual-tls.ts';
import { createResponseObserver } from './observe-response.ts';
import { type CrossOriginHeaders, type RawAnswers, refuseConnect } from './raw-answer.ts';
import { type OverloadOptions, refuseOverload } from './refuse-overload.ts';
import { type App, gateDecorator } from './routes.ts';
import { addSendWhole } from './send-whole.ts';
import { acceptJsonBodies, validatorCompiler } from './validation.ts';

/** Node's default too. Set explicitly, because a token and a lease id must fit well within it. */
const headerLimitBytes = 16 * 1024;
/** Limit for the whole request to arrive. Bodies are small, so a slower client is holding a connection open. */
const requestTimeoutMs = 15_000;
/** How often Node looks for connections over the limit. With its own 30 s, the 15 s would be up to 45. */
const requestTimeoutCheckMs = 5_000;
/** Longer than the 60 s for which load balancers keep idle connections, so that they close them and not this server. */
const keepAliveTimeoutMs = 72_000;
/**
 * How long a connection may stand still in the middle of an answer. A client that reads nothing would hold it, and the answer in memory,
 * for the life of the process. Twice the 60 s that a revocation of a large content may take. Event streams send a line every 15 s.
 */
const stillTimeoutMs = 120_000;
/** Wide enough that an id that is too long reaches validation and gets its 400. */
const maxParameterLength = headerLimitBytes;

const serverOptions = {
  schemaController,
  bodyLimit: usualBodyLimitBytes,
  requestTimeout: requestTimeoutMs,
  connectionTimeout: stillTimeoutMs,
  keepAliveTimeout: keepAliveTimeoutMs,
  http: {
    maxHeaderSize: headerLimitBytes,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: requestTimeoutCheckMs,
    // Checked by a hook (RFC 9112 section 3.2), so that the refusal gets an answer and a log line like any other.
    requireHostHeader: false,
  },
  routerOptions: { maxParamLength: maxParameterLength },
  // The drain informs load balancers first; requests that still arrive are served to the end.
  return503OnClosing: false,
  forceCloseConnections: 'idle',
} as const;

/**
 * For keys, tokens, states and refusals. A route whose answer may be cached sets its own header. No browser may take an answer for a script or
 * a page, whatever its bytes look like.
 */
const usualHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

/** How a host records requests. */
interface Tracing {
  tracer: Tracer;
  /** Whether the `traceparent` of a request is taken. */
  isTrusted: (request: IncomingMessage) => boolean;
  /** Whether other requests begin a trace. Not in a service: other calls are the jobs of services, such as the pull of the feed each second. */
  beginsTraces: boolean;
}

interface HostOptions {
  randomId: () => string;
  clientIpOf: (request: IncomingMessage) => string;
  /** The person whom a proxy with sign-on named. Called once for each request. Null or left out: nobody is named. */
  personOf?: ((request: IncomingMessage) => string | null) | null;
  /** Null in a process whose gateway writes the log line. */
  requestLog: RequestLog | null;
  operatorLog: OperatorLog;
  metrics: Metrics;
  /** Optional. Default: null, and the host listens without TLS. */
  tls?: MutualTls | null | undefined;
  /** Records requests as spans. Optional. Default: null, which turns traces off. */
  tracing?: Tracing | null;
  /** CORS headers of every answer. Optional. Default: no such headers. */
  crossOriginHeaders?: CrossOriginHeaders;
  /** Whether the process is about to end, so that clients should send their next request elsewhere. */
  isDraining?: () => boolean;
  /** How requests are refused while more come than the process can serve. Optional. Default: no request is refused. */
  overload?: OverloadOptions | undefined;
}

/**
 * The parts that every service needs around its routes: request ids, the client's IP, one log line for each request,
 * error answers, limits. The caller adds the routes.
 */
export function createHost(options: HostOptions): App {
  const {
    randomId,
    clientIpOf,
    personOf,
    requestLog,
    metrics,
    tls,
    tracing,
    overload,
    isDraining = () => false,
  } = options;
  const reportFailure = createFailureReport(options.operatorLog, tracing?.tracer);
  const answerError = createErrorHandler(reportFailure);
  const observe = createResponseObserver(requestLog, metrics, tracing?.tracer);
  const rawAnswers = toRawAnswers(options);
  const clientErrors = createClientErrors(rawAnswers);
  const refuseTransferCoding = createTransferCodingCheck();
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    const startedAtMs = performance.now();
    request.clientIp = clientIpOf(request.raw);
    request.person = personOf?.(request.raw) ?? null;
    clientErrors.begin(request.raw, reply);
    reply.header('x-request-id', request.id);
    reply.headers(usualHeaders);
    // Here and not in a hook, because some refusals come before every hook.
    reply.headers(rawAnswers.crossOriginHeaders(request.raw));
    if (isDraining()) reply.header('connection', 'close');
    // 'close' comes exactly once, also where the client left before the answer; 'finish' would not.
    reply.raw.on('close', () => observe(request, reply, performance.now() - startedAtMs));
  };

  const app = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(request as IncomingMessage, randomId),
    ...serverOptions,
    ...(tls && withTls(tls)),
    clientErrorHandler: clientErrors.answer,
    // A path that cannot be decoded never reaches a hook.
    frameworkErrors: (error, request, reply) => {
      begin(request as never, reply as never);
      answerError(error, request as never, reply as never);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  tls?.renewWith(app.server as unknown as TlsServer);
  app.setValidatorCompiler(validatorCompiler);
  acceptJsonBodies(app);
  decorateRequests(app);
  addSendWhole(app);

  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    const coding = refuseTransferCoding(request.raw);
    if (coding) reply.header('connection', 'close');
    const refusal = coding ?? refuseHost(request.raw) ?? refuseFragment(request.raw) ?? undefined;
    if (tracing) traceRequest(tracing, request.raw, () => done(refusal));
    else done(refusal);
  });
  const refuseUnknown = addNotFound(app);
  // Before the body is read, and after the hooks that set headers or demand a credential. Nobody reads the body of a path that does not
  // exist, so its type, length and content do not matter.
  app.addHook('preParsing', (request, reply, _payload, done) =>
    done(refuseUnknown(request, reply) ?? clientErrors.failureOf(request.raw) ?? undefined),
  );
  requireGate(app);
  app.setErrorHandler(answerError);
  answerOddRequests(app, rawAnswers);
  closeUnusedConnections(app);
  if (overload) refuseOverload(app, overload, options);
  return app;
}

/** Their callers are load balancers that ask each second: such traces would hide the others. */
const untraced = new Set(['/health', '/ready']);

/** @param proceed runs within the span of the request, if it gets one */
function traceRequest(
  { tracer, isTrusted, beginsTraces }: Tracing,
  request: IncomingMessage,
  proceed: () => void,
): void {
  const continues = request.headers.traceparent !== undefined && isTrusted(request);
  if (untraced.has(request.url ?? '') || !(continues || beginsTraces)) proceed();
  else tracer.serve(request, continues, proceed);
}

/** Fastify takes these options in place of `http`. Its types know one kind of server only. */
const withTls = ({ serverOptions: own }: MutualTls) =>
  ({ https: { ...serverOptions.http, ...own } }) as object;

/** Node would answer by itself: CONNECT by closing, and an unknown expectation, which may be ignored (RFC 9110 section 10.1.1), with a bare 417. */
function answerOddRequests(app: App, rawAnswers: RawAnswers): void {
  refuseConnect(app.server, rawAnswers);
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
}

/** How often a host that closes looks for connections without a request. First bytes can be on their way for so long. */
const lookMs = 500;

/**
 * Node waits for a connection that has sent nothing as it does for a request under way, and for one whose answer ended after the close began.
 * Without this, either delays the end until the shutdown gives up.
 */
function closeUnusedConnections(app: App): void {
  const open = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', (done) => {
    const timer = setInterval(() => {
      if (!app.server.listening && open.size === 0) clearInterval(timer);
      app.server.closeIdleConnections();
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    }, lookMs).unref();
    done();
  });
}

function toRawAnswers({ requestLog, randomId, clientIpOf, crossOriginHeaders }: HostOptions): RawAnswers {
  return {
    requestLog,
    randomId,
    // The headers were refused, so they identify no caller.
    clientIpOf: (socket) => clientIpOf({ socket, headers: {} } as IncomingMessage),
    crossOriginHeaders: crossOriginHeaders ?? (() => ({})),
  };
}

/** Refuses to add an internal route to a host that would serve it to everybody. */
function requireGate(app: App): void {
  app.addHook('onRoute', ({ config, url }) => {
    if (config?.access !== 'internal' || app.hasDecorator(gateDecorator)) return;
    throw new Error(
      `${url} is for other services only, and this host has no gate that refuses other callers`,
    );
  });
}

/** `docs/reference/contract.md#conventions`: an id that is safe to print and to pass on. */
const acceptable = /^[A-Za-z0-9._-]{1,64}$/;

/** The request's own id if it has an acceptable one, else a new one. The answer, the logs and the audit contain the id. */
function requestIdOf(request: IncomingMessage, randomId: () => string): string {
  const given = request.headers['x-request-id'];
  const isKept =
    typeof given === 'string' && acceptable.test(given) && !holdsCredential(given) && !holdsSession(given);
  return isKept ? given : randomId();
}
