import type { Lease } from './lease.ts';

/** The refusals of a key server, by the code of its answer. Other refusals are `REFUSED`. */
const refusals = [
  'VIEWER_BLOCKED',
  'TOKEN_REVOKED',
  'EPOCH_PAST',
  'EPOCH_NOT_FOUND',
  'CONTENT_NOT_ENTITLED',
  'CONTENT_NOT_FOUND',
  'INSUFFICIENT_SCOPE',
  'LEASE_REQUIRED',
  'LEASE_UNKNOWN',
  'LEASE_EXPIRED',
  'LEASE_REVOKED',
  'LEASE_LIMIT_REACHED',
  'SESSION_UNAVAILABLE',
] as const;

/** Answers that say when the key will be served. The player waits for it. */
const keyWaits = ['EPOCH_NOT_YET', 'KEY_PACE_EXCEEDED'] as const;
export type KeyWaitCode = (typeof keyWaits)[number];

/** Why playback ended, or what is being retried. The README explains what to do about each. */
export type PlayerErrorCode =
  | (typeof refusals)[number]
  | KeyWaitCode
  | 'UNAUTHENTICATED'
  | 'AUTH_FAILED'
  | 'REFUSED'
  | 'RATE_LIMITED'
  | 'NETWORK'
  | 'KEY_ELSEWHERE'
  | 'MEDIA_NETWORK'
  | 'MEDIA_DECODE'
  | 'UNSUPPORTED'
  | 'ABORTED';

export interface PlayerErrorDetails {
  status?: number;
  serverCode?: string;
  requestId?: string;
  leases?: readonly Lease[];
  retryAfterMs?: number;
  opensAt?: string;
  currentEpoch?: number;
  isTransient?: boolean;
  cause?: unknown;
}

/** The one error that the player throws and emits. (Its fields are declared: written out they cost a helper of 300 bytes.) */
export class PlayerError extends Error {
  declare readonly name: 'PlayerError';
  declare readonly code: PlayerErrorCode;
  /** HTTP status of the answer; absent if there was none. */
  declare readonly status?: number;
  /** The server's own code, such as `INVALID_TOKEN`. */
  declare readonly serverCode?: string;
  /** Names the request in the server's log. */
  declare readonly requestId?: string;
  /** `LEASE_LIMIT_REACHED`: the viewer's active leases, with their `deviceId`. Empty for every other code. */
  declare readonly leases: readonly Lease[];
  /** Of the server's `Retry-After`; 0 without one. For `EPOCH_NOT_YET`: until `opensAt`. */
  declare readonly retryAfterMs: number;
  /** `EPOCH_NOT_YET`: when the key is served, by the server's clock (ISO 8601). */
  declare readonly opensAt?: string;
  /** `EPOCH_NOT_YET`: the epoch of now, negative before the first. */
  declare readonly currentEpoch?: number;
  /** Whether the same request may work later. An `error` event never carries one that the player could still retry. */
  declare readonly isTransient: boolean;

  constructor(code: PlayerErrorCode, message: string, { cause, ...details }: PlayerErrorDetails = {}) {
    super(message, { cause });
    const defaults = { leases: [], retryAfterMs: 0, isTransient: false };
    Object.assign(this, defaults, details, { name: 'PlayerError', code });
  }
}

/** The key server did not answer, or with something unexpected. */
export function networkError(message: string, details: PlayerErrorDetails = {}): PlayerError {
  return new PlayerError('NETWORK', message, { isTransient: true, ...details });
}

/**
 * A key whose URL is not below the application's `keyServerUrl`.
 *
 * @param status of its last answer, 0 without one
 */
export function keyElsewhere(keyUrl: string, status: number, keyServerUrl: string): PlayerError {
  // Without its query, which may have credentials of another key server.
  const { origin, pathname } = new URL(keyUrl);
  const answer = status === 0 ? 'gave no answer' : `answered ${status}`;
  const message =
    `The playlist names a key at ${origin}${pathname}, which is not a key URL below keyServerUrl ${keyServerUrl}. ` +
    `It was requested without a token, and ${answer}.`;
  return new PlayerError('KEY_ELSEWHERE', message, status === 0 ? {} : { status });
}

/** Any thrown value as a `PlayerError`. */
export function toPlayerError(thrown: unknown): PlayerError {
  if (thrown instanceof PlayerError) return thrown;
  return networkError(thrown instanceof Error ? thrown.message : String(thrown), { cause: thrown });
}

/**
 * An answer that is not a success (RFC 9457) as an error.
 *
 * @param body parsed; undefined if it is not JSON
 * @param retryAfterMs of its `Retry-After`; 0 without one
 * @param wallNowMs milliseconds since 1970
 */
export function refusalOf(
  status: number,
  body: unknown,
  retryAfterMs: number,
  wallNowMs: number,
): PlayerError {
  const problem = isObject(body) ? body : {};
  const { code, detail, requestId, leases, opensAt, currentEpoch } = problem;
  const details: PlayerErrorDetails = {
    status,
    retryAfterMs: untilOpening(opensAt, retryAfterMs, wallNowMs),
  };
  if (typeof code === 'string') details.serverCode = code;
  if (typeof requestId === 'string') details.requestId = requestId;
  if (Array.isArray(leases)) details.leases = leases as Lease[];
  if (typeof opensAt === 'string') details.opensAt = opensAt;
  if (typeof currentEpoch === 'number') details.currentEpoch = currentEpoch;
  const message = typeof detail === 'string' ? detail : `The key server answered ${status}.`;
  const wait = keyWaits.find((known) => known === code);
  if (wait) return new PlayerError(wait, message, { ...details, isTransient: true });
  if (status === 429) return new PlayerError('RATE_LIMITED', message, { ...details, isTransient: true });
  if (status >= 500 || status === 408) return networkError(message, details);
  if (status === 401) return new PlayerError('UNAUTHENTICATED', message, details);
  return new PlayerError(refusals.find((refusal) => refusal === code) ?? 'REFUSED', message, details);
}

/**
 * `Retry-After` counts whole seconds, rounded up. `opensAt` is exact, where the clocks of server and browser agree to a second.
 */
function untilOpening(opensAt: unknown, retryAfterMs: number, wallNowMs: number): number {
  const leftMs = Date.parse(String(opensAt)) - wallNowMs;
  // NaN without `opensAt`.
  return Math.min(Math.max(leftMs, retryAfterMs - 1_000), retryAfterMs) || retryAfterMs;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Whether the server said when the key will be served. */
export const isKeyWait = ({ code }: PlayerError): boolean => keyWaits.includes(code as KeyWaitCode);
