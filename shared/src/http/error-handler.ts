import type { IncomingMessage } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { takesBasic } from '../auth/index.ts';
import { isDatabaseUnavailable } from '../db/database-fault.ts';
import { AppError, toProblem } from '../errors/errors.ts';
import { describeError, type OperatorLog, type RequestFailure, redact } from '../log/index.ts';
import type { Tracer } from '../traces/index.ts';
import type { App } from './routes.ts';
import { validationErrors } from './validation.ts';

/** `docs/reference/contract.md#conventions`. */
export const usualBodyLimitBytes = 64 * 1024;
const problemType = 'application/problem+json';
/** Seconds until a lost dependency may be back. hls.js retries by itself; other clients read this header. */
const retryAfterSeconds = 1;

/** Writes a failure of the server itself into the operator's log. */
type ReportFailure = (error: AppError, thrown: unknown, requestId: string, request: IncomingMessage) => void;

const unavailableMessage =
  'a request failed with 503: what it needs did not answer. Players retry it. See upstream and error, and /ready';
const mistakeMessage =
  'a request failed with 500: a mistake in this program or its database. The client saw an error. Report this line';

/** @param tracer names the trace of the request itself: an answer of another service may come in the asynchronous context of another request */
export function createFailureReport(log: OperatorLog, tracer?: Pick<Tracer, 'traceIdOf'>): ReportFailure {
  return (error, thrown, requestId, request) => {
    const isUnavailable = error.code === 'DEPENDENCY_UNAVAILABLE';
    // A 503 without a cause is an intended refusal: a process that waits for something, and has already logged for what.
    if (error.status < 500 || (isUnavailable && error.cause === undefined)) return;
    const { upstream, tries } = describeFailure(error, thrown);
    const traceId = tracer?.traceIdOf(request) ?? null;
    log.error(isUnavailable ? unavailableMessage : mistakeMessage, {
      requestId,
      ...(traceId === null ? {} : { traceId }),
      code: error.code,
      ...(upstream === null ? {} : { upstream, tries }),
      error: error.cause ?? thrown,
    });
  };
}

/** Enough for an error of a driver with its cause. It is also sent as a header between services. */
const longestCause = 300;

/**
 * The cause of a 5xx, for the log line of its request.
 *
 * @param thrown what the error was made from
 */
function describeFailure(error: AppError, thrown: unknown): RequestFailure {
  const call = findCall(error);
  const reason = error.cause ?? (thrown === error ? null : thrown);
  const text = reason instanceof Error ? describeError(reason) : (call?.why ?? error.message);
  return {
    cause: redact(text).slice(0, longestCause),
    upstream: call?.upstream ?? null,
    tries: call?.tries ?? null,
  };
}

/** A decision wraps the error of the read that failed. */
function findCall(error: unknown): AppError['call'] {
  if (!(error instanceof Error)) return undefined;
  return (error instanceof AppError ? error.call : undefined) ?? findCall(error.cause);
}

/** The header `Retry-After` of an error; null if it has none. */
function retryAfterOf({ code, retryAfterSeconds: own }: AppError): string | null {
  const seconds = own ?? (code === 'DEPENDENCY_UNAVAILABLE' ? retryAfterSeconds : null);
  return seconds === null ? null : String(seconds);
}

/**
 * Turns an error into an answer. An error that is not an `AppError` and not one of Fastify's known errors becomes a bare
 * 500.
 */
export function createErrorHandler(reportFailure: ReportFailure) {
  return (thrown: FastifyError | Error, request: FastifyRequest, reply: FastifyReply): void => {
    // The client left in the middle of its body: the server did not fail, and there is no client to answer.
    if (request.raw.errored && thrown === request.raw.errored) return;
    const error = toAppError(thrown, request.routeOptions?.bodyLimit);
    request.errorCode = error.code;
    if (error.status >= 500) request.failure = describeFailure(error, thrown);
    reportFailure(error, thrown, request.id, request.raw);
    const challenge = challengeOf(error);
    if (challenge) {
      const offersBasic = error.status === 401 && takesBasic(request.routeOptions?.config?.access);
      reply.header('www-authenticate', offersBasic ? [challenge, 'Basic realm="latchkey"'] : challenge);
    }
    const retryAfter = retryAfterOf(error);
    if (retryAfter !== null) reply.header('retry-after', retryAfter);
    reply
      .code(error.status)
      .header('content-type', problemType)
      .serializer(JSON.stringify)
      .send(toProblem(error, request.id));
  };
}

/** The challenge of RFC 6750 section 3: an error code only where a credential was presented. */
function challengeOf(error: AppError): string | null {
  const realm = 'Bearer realm="latchkey"';
  if (error.code === 'INSUFFICIENT_SCOPE') {
    const scope = error.members?.scope;
    return `${realm}, error="insufficient_scope"${scope ? `, scope="${scope}"` : ''}`;
  }
  if (error.status !== 401) return null;
  return error.code === 'UNAUTHENTICATED' ? realm : `${realm}, error="invalid_token"`;
}

const notJson = () =>
  new AppError('UNSUPPORTED_MEDIA_TYPE', { detail: 'Send JSON with Content-Type: application/json.' });

/**
 * Fastify's own errors (its `lib/errors.js`), by code: all that a request can cause. Errors of schemas and of JSON come
 * as `validation`, and unknown paths have their own handler.
 */
const frameworkErrors: Record<string, (bodyLimitBytes: number) => AppError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (bodyLimitBytes) =>
    new AppError('PAYLOAD_TOO_LARGE', { detail: `A body may have ${bodyLimitBytes} bytes.` }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: notJson,
  // For the method QUERY alone (RFC 10008 section 2).
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: notJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => malformed('', 'The body is not as long as Content-Length says.'),
  FST_ERR_BAD_URL: () => malformed('/path', 'The path is not a valid URL.'),
  FST_ERR_MAX_PARAM_LENGTH: () => malformed('/path', 'The path is too long.'),
};

/** @param bodyLimitBytes of the route, if it has a limit of its own */
export function toAppError(thrown: FastifyError | Error, bodyLimitBytes = usualBodyLimitBytes): AppError {
  if (thrown instanceof AppError) return thrown;
  const { validation, validationContext, code } = thrown as FastifyError;
  if (validation) {
    return new AppError('VALIDATION_FAILED', {
      // Fastify's `params` are the parts of the path that a route names.
      detail: `The ${validationContext === 'params' ? 'path' : (validationContext ?? 'request')} is not valid.`,
      members: { errors: validationErrors(validation) },
    });
  }
  const known = frameworkErrors[code];
  if (known) return known(bodyLimitBytes);
  if (isDatabaseUnavailable(thrown)) return new AppError('DEPENDENCY_UNAVAILABLE', { cause: thrown });
  return new AppError('INTERNAL', { cause: thrown });
}

function malformed(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', { detail: message, members: { errors: [{ path, message }] } });
}

interface KnownPath {
  segments: string[];
  /** A path with fewer parameters is the better match: `/keys/leases` before `/keys/:contentId`. */
  parameters: number;
  methods: Set<string>;
}

/**
 * Distinguishes a path that does not exist (404) from a method that the path does not take (405, RFC 9110 section 15.5.6).
 *
 * @returns the refusal of a request that no route has; null for others
 */
export function addNotFound(app: App): (request: FastifyRequest, reply: FastifyReply) => AppError | null {
  const refuse = createRefusal(app);
  // For routes that only discover later that the resource does not exist.
  app.setNotFoundHandler((request, reply) => {
    throw refuse(request, reply);
  });
  return (request, reply) => (request.is404 ? refuse(request, reply) : null);
}

function createRefusal(app: App): (request: FastifyRequest, reply: FastifyReply) => AppError {
  const paths = new Map<string, KnownPath>();
  app.addHook('onRoute', ({ url, method, config }) => {
    // The route for preflights takes any path, so it makes no path known.
    if (url === '*') return;
    const known = paths.get(url) ?? {
      segments: url.split('/'),
      parameters: url.match(/[:*]/g)?.length ?? 0,
      methods: new Set<string>(),
    };
    paths.set(url, known);
    if (config?.reserved) return;
    for (const name of [method].flat()) known.methods.add(name);
  });

  return (request, reply) => {
    const [path = ''] = request.url.split('?', 1);
    const asked = path.split('/');
    const [best] = [...paths.values()]
      .filter(({ segments, methods }) => methods.size > 0 && isPathOf(segments, asked))
      .sort((a, b) => a.parameters - b.parameters);
    if (!best || best.methods.has(request.method))
      return new AppError('NOT_FOUND', { detail: 'Nothing is at this path.' });
    const allowed = [...best.methods].sort().join(', ');
    reply.header('allow', allowed);
    return new AppError('METHOD_NOT_ALLOWED', { detail: `This path takes ${allowed}.` });
  };
}

/** @param route the segments of its URL: `:parameters`, and perhaps a `*` at the end */
function isPathOf(route: string[], asked: string[]): boolean {
  const isOpen = route.at(-1) === '*';
  if (isOpen ? asked.length < route.length : asked.length !== route.length) return false;
  return route.every((segment, at) => {
    if (segment === '*') return true;
    return segment.startsWith(':') ? asked[at] !== '' : segment === asked[at];
  });
}
