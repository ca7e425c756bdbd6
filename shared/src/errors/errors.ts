import { type Static, type TSchema, Type } from '../schema/type.ts';

/** Every error answer: its status and its title. Answers carry the code; a test compares the codes with the document. */
export const codes = {
  VALIDATION_FAILED: { status: 400, title: 'The request is not valid' },
  UNAUTHENTICATED: { status: 401, title: 'The request needs a credential' },
  INVALID_TOKEN: { status: 401, title: 'The token is not accepted' },
  INVALID_API_KEY: { status: 401, title: 'The API key is not accepted' },
  INVALID_SESSION: { status: 401, title: 'The session is not accepted' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'This credential may not do this' },
  LEASE_REQUIRED: { status: 403, title: 'The request needs a lease' },
  LEASE_UNKNOWN: { status: 403, title: 'This viewer has no such lease for this content' },
  LEASE_EXPIRED: { status: 403, title: 'The lease has expired' },
  LEASE_REVOKED: { status: 403, title: 'The lease was revoked' },
  VIEWER_BLOCKED: { status: 403, title: 'The viewer is blocked' },
  TOKEN_REVOKED: { status: 403, title: 'The token was issued before a revocation' },
  EPOCH_NOT_YET: { status: 403, title: 'The server does not serve the key of this period yet' },
  EPOCH_PAST: { status: 403, title: 'The server no longer serves the key of this period' },
  CONTENT_NOT_ENTITLED: { status: 403, title: 'This credential gives no access to this content' },
  SETUP_REFUSED: { status: 403, title: 'A page of another origin may not set up this server' },
  NOT_FOUND: { status: 404, title: 'Nothing is at this path' },
  CONTENT_NOT_FOUND: { status: 404, title: 'No such content' },
  EPOCH_NOT_FOUND: { status: 404, title: 'The content has no such period' },
  API_KEY_NOT_FOUND: { status: 404, title: 'No such API key' },
  LEASE_NOT_FOUND: { status: 404, title: 'No such lease' },
  WEBHOOK_NOT_FOUND: { status: 404, title: 'No such webhook' },
  DELIVERY_NOT_FOUND: { status: 404, title: 'No such delivery' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'This path does not take that method' },
  SETUP_ALREADY_DONE: { status: 409, title: 'Setup is already done' },
  PUBLIC_URL_MISSING: { status: 409, title: 'The server does not know its own URL' },
  SESSION_UNAVAILABLE: { status: 409, title: 'The server cannot make a playback URL for this content' },
  LEASE_LIMIT_REACHED: { status: 409, title: 'The viewer has reached its limit of active leases' },
  WEBHOOKS_OFF: { status: 409, title: 'Webhooks are off' },
  WEBHOOK_LIMIT_REACHED: { status: 409, title: 'The server has reached its limit of webhooks' },
  IDEMPOTENCY_KEY_IN_USE: { status: 409, title: 'A request with this Idempotency-Key is under way' },
  CONTENT_EXISTS: { status: 412, title: 'The content exists already' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'The body is too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'This path does not accept a body of this type' },
  CPIX_REFUSED: { status: 422, title: 'The server cannot answer this CPIX document' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'This Idempotency-Key belongs to another request' },
  RATE_LIMITED: { status: 429, title: 'Too many requests' },
  KEY_PACE_EXCEEDED: { status: 429, title: 'The viewer requests keys faster than it can play them' },
  HEADERS_TOO_LARGE: { status: 431, title: 'The headers are too large' },
  INTERNAL: { status: 500, title: 'The server failed unexpectedly' },
  DEPENDENCY_UNAVAILABLE: { status: 503, title: 'The server cannot answer this request at the moment' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ErrorCode = keyof typeof codes;

/** A call of another service that failed: for the logs, never for the client. */
export interface FailedCall {
  /** The name of the service. */
  upstream: string;
  /** How often it was tried, at one address or several. */
  tries: number;
  /** Why, where the error has no cause: a cause is written to the operator's log for each request. */
  why?: string;
}

/** The leases of a viewer, of a content or of the pair. */
interface NamedLeases {
  viewerId: string | null;
  contentId: string | null;
}

interface AppErrorOptions {
  /** One sentence for the client. It never has a credential and, on a 5xx, never the inner cause. */
  detail?: string;
  /** The inner cause: for the operator's log, never for the client. */
  cause?: unknown;
  /** The call of another service that failed. */
  call?: FailedCall;
  /** Members of the problem in addition to the usual ones, such as `errors`, `leases` or `scope`. */
  members?: Record<string, unknown>;
  /** Seconds, for 429 and 503: when a retry makes sense. */
  retryAfterSeconds?: number;
  /** The leases that the refusal is about, for the audit, where the path does not name its target. Not for the client. */
  about?: NamedLeases;
}

/** The only error type of the code and of calls between services. Any other thrown value becomes a bare 500. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly detail: string | undefined;
  readonly members: Record<string, unknown> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly call: FailedCall | undefined;
  readonly about: NamedLeases | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(
      options.detail ?? codes[code].title,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'AppError';
    this.code = code;
    this.status = codes[code].status;
    this.detail = options.detail;
    this.members = options.members;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.call = options.call;
    this.about = options.about;
  }
}

/** RFC 9457 section 3.1, with `code` and `requestId` as extension members (section 3.2). */
const ProblemSchema = Type.Object(
  {
    type: Type.String({ pattern: '^urn:latchkey:error:[A-Z_]+$' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.String(),
    requestId: Type.String(),
    errors: Type.Optional(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
    scope: Type.Optional(Type.String()),
    limited: Type.Optional(Type.Literal(true)),
    missing: Type.Optional(Type.Array(Type.String())),
    leases: Type.Optional(Type.Array(Type.Unknown())),
    currentEpoch: Type.Optional(Type.Integer()),
    opensAt: Type.Optional(Type.String({ format: 'date-time' })),
  },
  { title: 'Problem', additionalProperties: true, description: 'RFC 9457 problem details' },
);

/** The body of an error answer. */
export function toProblem(error: AppError, requestId: string): Static<typeof ProblemSchema> {
  const { status, title } = codes[error.code];
  // A fault that belongs to no member has the empty path, which means the whole request (RFC 6901).
  const whole = { errors: [{ path: '', message: error.detail ?? `${title}.` }] };
  return {
    type: `urn:latchkey:error:${error.code}`,
    title,
    status,
    detail: error.detail ?? `${title}.`,
    code: error.code,
    requestId,
    ...(error.code === 'VALIDATION_FAILED' ? whole : {}),
    ...error.members,
  };
}

/** Response schemas of a route's error answers, for validation and for the OpenAPI document. */
export function problems(...names: ErrorCode[]) {
  // On any route a dependency can be missing, a fault can occur or a rate limit can be reached.
  const always: ErrorCode[] = ['INTERNAL', 'DEPENDENCY_UNAVAILABLE', 'RATE_LIMITED'];
  const byStatus = Map.groupBy([...names, ...always], (name) => codes[name].status);
  const content = { 'application/problem+json': { schema: ProblemSchema as TSchema } };
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [status, { description: group.join(', '), content }]),
  );
}
