import type { Lease } from './lease.ts';

/** What a key server refuses, by the code of its answer. Other refusals are `REFUSED`. */
const refusals = [
  'TOKEN_REVOKED',
  'CONTENT_NOT_ENTITLED',
  'CONTENT_NOT_FOUND',
  'INSUFFICIENT_SCOPE',
  'LEASE_REQUIRED',
  'LEASE_UNKNOWN',
  'LEASE_EXPIRED',
  'LEASE_REVOKED',
  'LEASE_LIMIT_REACHED',
] as const;

/** Why playback ended, or what is being retried. The README says what to do about each. */
export type PlayerErrorCode =
  | (typeof refusals)[number]
  | 'UNAUTHENTICATED'
  | 'REFUSED'
  | 'RATE_LIMITED'
  | 'NETWORK'
  | 'MEDIA_NETWORK'
  | 'MEDIA_DECODE'
  | 'UNSUPPORTED'
  | 'ABORTED';

/** What a `PlayerError` may carry beside its code and message. */
export interface PlayerErrorDetails {
  status?: number;
  serverCode?: string;
  requestId?: string;
  leases?: readonly Lease[];
  retryAfterMs?: number;
  isTransient?: boolean;
  cause?: unknown;
}

/** The one error that the player throws and emits. */
export class PlayerError extends Error {
  override readonly name = 'PlayerError';
  readonly code: PlayerErrorCode;
  /** HTTP status of the answer; absent where there was none. */
  readonly status?: number;
  /** The server's own code, such as `INVALID_TOKEN`. */
  readonly serverCode?: string;
  /** Names the request in the server's log. */
  readonly requestId?: string;
  /** `LEASE_LIMIT_REACHED`: the viewer's active leases, with their `deviceId`. Empty for every other code. */
  readonly leases: readonly Lease[];
  /** How long the server asks to wait. */
  readonly retryAfterMs: number;
  /** Whether the same request may work later. An `error` event never carries one that the player could still retry. */
  readonly isTransient: boolean;

  constructor(code: PlayerErrorCode, message: string, details: PlayerErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    if (details.status !== undefined) this.status = details.status;
    if (details.serverCode !== undefined) this.serverCode = details.serverCode;
    if (details.requestId !== undefined) this.requestId = details.requestId;
    this.leases = details.leases ?? [];
    this.retryAfterMs = details.retryAfterMs ?? 0;
    this.isTransient = details.isTransient ?? false;
  }
}

/** The key server did not answer, or not with what was asked for. */
export function networkError(message: string, details: PlayerErrorDetails = {}): PlayerError {
  return new PlayerError('NETWORK', message, { isTransient: true, ...details });
}

/** Any thrown value as a `PlayerError`. */
export function toPlayerError(thrown: unknown): PlayerError {
  if (thrown instanceof PlayerError) return thrown;
  return networkError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/** An answer that is no success (RFC 9457) as an error. `body` is whatever came, parsed or undefined. */
export function refusalOf(status: number, body: unknown, retryAfter: string | null): PlayerError {
  const problem = isObject(body) ? body : {};
  const { code, detail, requestId, leases } = problem;
  const details: PlayerErrorDetails = { status };
  if (typeof code === 'string') details.serverCode = code;
  if (typeof requestId === 'string') details.requestId = requestId;
  if (Array.isArray(leases)) details.leases = leases as Lease[];
  const message = typeof detail === 'string' ? detail : `The key server answered ${status}.`;
  // RFC 9110 section 10.2.3 allows a date, too; the server sends seconds.
  const retryAfterSeconds = Number(retryAfter ?? 0);
  if (retryAfterSeconds > 0) details.retryAfterMs = retryAfterSeconds * 1_000;
  if (status === 429) return new PlayerError('RATE_LIMITED', message, { ...details, isTransient: true });
  if (status >= 500 || status === 408) return networkError(message, details);
  if (status === 401) return new PlayerError('UNAUTHENTICATED', message, details);
  return new PlayerError(refusals.find((refusal) => refusal === code) ?? 'REFUSED', message, details);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
