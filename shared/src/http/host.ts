import type { IncomingMessage } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { AppError } from '../errors/index.ts';
import type { OperatorLog, RequestLog } from '../log/index.ts';
import type { Metrics } from '../metrics/index.ts';
import { answerClientError } from './client-error.ts';
import { createErrorHandler } from './error-handler.ts';
import { acceptJsonBodies } from './json-body.ts';
import { createNotFoundHandler } from './not-found.ts';
import './request-context.ts';
import { requestIdOf } from './request-id.ts';
import { createResponseObserver } from './response-observer.ts';
import type { App } from './routes.ts';
import { validatorCompiler } from './validation.ts';

/** The contract, section 1. */
const bodyLimitOctets = 64 * 1024;
/** Node's default too; named because a token and a lease id have to fit well within. */
const headerLimitOctets = 16 * 1024;
/** For the whole request to arrive. Bodies are small, so whoever needs longer is holding a connection open. */
const requestTimeoutMs = 15_000;
/** Longer than the 60 s that load balancers keep idle connections, so that they and not we close them. */
const keepAliveTimeoutMs = 72_000;
/** Wide enough that an id that is too long reaches validation and gets its 400. */
const maxParameterLength = headerLimitOctets;

export interface HostOptions {
  randomId: () => string;
  clientIpOf: (request: IncomingMessage) => string;
  /** Null in a process whose gateway writes the line. */
  requestLog: RequestLog | null;
  operatorLog: OperatorLog;
  metrics: Metrics;
  /** Whether the process is about to end, so that clients should take their next request elsewhere. */
  isDraining?: () => boolean;
}

/**
 * Everything that a service is given by whoever runs it: request ids, the client's IP, one log line for each request,
 * error answers, limits. Routes are added by the caller.
 */
export function createHost(options: HostOptions): App {
  const { randomId, clientIpOf, requestLog, operatorLog, metrics, isDraining = () => false } = options;
  const answerError = createErrorHandler(operatorLog);
  const observe = createResponseObserver(requestLog, metrics);
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    const startedAtMs = performance.now();
    request.clientIp = clientIpOf(request.raw);
    reply.header('x-request-id', request.id);
    // Keys, tokens, states and refusals: what may be cached says so itself.
    reply.header('cache-control', 'no-store');
    if (isDraining()) reply.header('connection', 'close');
    // 'close' comes exactly once, also where the client went away before the answer; 'finish' would not.
    reply.raw.on('close', () => observe(request, reply, performance.now() - startedAtMs));
  };

  const app = fastify({
    logger: false,
    genReqId: (request) => requestIdOf(request as IncomingMessage, randomId),
    bodyLimit: bodyLimitOctets,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    http: {
      maxHeaderSize: headerLimitOctets,
      headersTimeout: requestTimeoutMs,
      // Checked below (RFC 9112 section 3.2), so that it gets an answer and a log line like any other.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: maxParameterLength },
    // The drain tells load balancers first; what still arrives is served to the end.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerClientError(requestLog, randomId),
    // A path that cannot be decoded never reaches a hook.
    frameworkErrors: (error, request, reply) => {
      begin(request as never, reply as never);
      answerError(error, request as never, reply as never);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  acceptJsonBodies(app);
  app.decorateRequest('clientIp', '');
  app.decorateRequest('principal', null);
  app.decorateRequest('errorCode', null);
  app.decorateRequest('answeredRoute', null);

  app.addHook('onRequest', (request, reply, done) => {
    begin(request, reply);
    const { host } = request.headers;
    if (host === undefined && request.raw.httpVersion === '1.1')
      return done(new AppError('VALIDATION_FAILED', { detail: 'HTTP/1.1 needs a Host header.' }));
    done();
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler(createNotFoundHandler(app));
  return app;
}
