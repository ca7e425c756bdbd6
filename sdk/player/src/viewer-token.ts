import { attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import { PlayerError } from './player-error.ts';
import { type AuthReason, type KeyServerAuth, kindOf } from './player-options.ts';
import { withTimeout } from './with-timeout.ts';

/**
 * Calls the application's callback.
 *
 * @returns a string that a header can carry, or an empty one for no token
 * @throws PlayerError `AUTH_FAILED`: transient if the callback fails or is late, final if it returns anything but a string.
 *   `UNAUTHENTICATED` if no header can carry the token. A PlayerError of the callback is passed on
 */
export function askForToken(clock: Clock, keyServerAuth: KeyServerAuth, reason: AuthReason): Promise<string> {
  const ask = async () => checkToken(await keyServerAuth({ reason }));
  return withTimeout(clock, ask, {
    failed: (cause) => authFailed(`keyServerAuth failed: ${wordsOf(cause)}`, { isTransient: true, cause }),
    late: (limitMs) => authFailed(`keyServerAuth gave no token within ${limitMs} ms.`, { isTransient: true }),
  });
}

/** @throws PlayerError; it never quotes the value, which may be a secret */
export function checkToken(given: unknown): string {
  if (typeof given !== 'string') {
    throw authFailed(
      `keyServerAuth gave ${kindOf(given)}. It has to give the token as a string; '' sends none.`,
    );
  }
  try {
    // `fetch` would fail as for a lost server, and be retried.
    new Headers({ Authorization: `Bearer ${given}` });
  } catch {
    // Without the cause: some runtimes quote the token in it.
    throw new PlayerError('UNAUTHENTICATED', 'keyServerAuth gave a token that no header can carry.');
  }
  return given;
}

/** @throws TypeError */
export function requireCallback(keyServerAuth: unknown): void {
  if (typeof keyServerAuth === 'function') return;
  throw new TypeError(`keyServerAuth has to be a function that gives a token, not ${kindOf(keyServerAuth)}.`);
}

const authFailed = (message: string, details = {}) => new PlayerError('AUTH_FAILED', message, details);

function wordsOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}

/** A token is replaced after this part of its remaining life. */
const renewalShare = 0.75;
/** The application is called no oftener, however short tokens live or however wrong this machine's clock is. */
const leastDelayMs = 1_000;
/** After a callback that failed. */
const retryDelayMs = 10_000;
/** Timers of browsers fire at once beyond 2^31 ms. */
const mostDelayMs = 24 * 3_600_000;

/** The last token. A page that is closing has no time to fetch another one. */
interface TokenAtHand {
  /** undefined before the first one. */
  readonly token: string | undefined;
  /** Whether the token has expired; false if it has no `exp`. */
  isExpired(): boolean;
  note(token: string): void;
  /** While on for any holder, replaces the token before it expires: a lease is held, which needs a token for its release. */
  keepFresh(holder: object, isOn: boolean): void;
}

/** @param ask calls the application for a token and notes it */
export function createTokenAtHand(clock: Clock, ask: () => Promise<unknown>): TokenAtHand {
  let token: string | undefined;
  let expiresAtMs = Number.POSITIVE_INFINITY;
  const holders = new Set<object>();
  let timer: unknown;

  function schedule(delayMs: number) {
    clock.clearTimeout(timer);
    if (holders.size === 0 || expiresAtMs === Number.POSITIVE_INFINITY) return;
    timer = clock.setTimeout(refresh, Math.min(Math.max(delayMs, leastDelayMs), mostDelayMs));
  }
  const untilRenewal = () => (expiresAtMs - clock.now()) * renewalShare;
  const refresh = () => void ask().catch(() => schedule(retryDelayMs));

  return {
    get token() {
      return token;
    },
    isExpired: () => clock.now() >= expiresAtMs,
    note(given) {
      token = given;
      expiresAtMs = clock.now() + remainingLifeMs(given, clock.wallNow());
      schedule(untilRenewal());
    },
    keepFresh(holder, isOn) {
      if (holders.has(holder) === isOn) return;
      if (isOn) holders.add(holder);
      else holders.delete(holder);
      schedule(untilRenewal());
    },
  };
}

/**
 * The remaining life of a JWT (RFC 7519). Only the server verifies it.
 *
 * @returns infinite for a token without `exp`
 */
function remainingLifeMs(token: string, wallNowMs: number): number {
  const { exp, iat } = readClaims(token);
  if (typeof exp !== 'number') return Number.POSITIVE_INFINITY;
  const leftMs = exp * 1_000 - wallNowMs;
  const lifeMs = typeof iat === 'number' ? (exp - iat) * 1_000 : leftMs;
  // Outside these bounds the clock of this machine is wrong. The token's whole life is the best guess then.
  return leftMs > 0 && leftMs <= lifeMs ? leftMs : lifeMs;
}

function readClaims(token: string): { exp?: unknown; iat?: unknown } {
  const [, payload = ''] = token.split('.');
  return attempt(() => JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))) ?? {};
}
