import type { Clock } from './clock.ts';

/** A token is replaced when this part of its remaining life has passed. */
const renewalShare = 0.75;
/** However short tokens live, or however wrong this machine's clock is, the application is asked no oftener. */
const leastDelayMs = 1_000;
/** After a callback that failed. */
const retryDelayMs = 10_000;
/** Timers of browsers end at 2^31 ms, and fire at once beyond. */
const mostDelayMs = 24 * 3_600_000;

/** The last token. A page that is closed has no time to ask for another one. */
export interface TokenAtHand {
  /** undefined before the first one. */
  readonly token: string | undefined;
  /** Whether the token says that it has expired; false where it does not say. */
  isExpired(): boolean;
  note(token: string): void;
  /** Replaces the token before it expires, for as long as this is on: there is something to give back. */
  keepFresh(isOn: boolean): void;
}

/** @param ask asks the application for a token and notes it */
export function createTokenAtHand(clock: Clock, ask: () => Promise<unknown>): TokenAtHand {
  let token: string | undefined;
  let expiresAtMs = Number.POSITIVE_INFINITY;
  let isKept = false;
  let timer: unknown;

  function schedule(delayMs: number) {
    clock.clearTimeout(timer);
    if (!isKept || expiresAtMs === Number.POSITIVE_INFINITY) return;
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
    keepFresh(isOn) {
      if (isKept === isOn) return;
      isKept = isOn;
      schedule(untilRenewal());
    },
  };
}

/**
 * How long a JWT (RFC 7519) lives on. Nothing is verified: that is the server's part.
 *
 * @returns infinite where the token does not say
 */
function remainingLifeMs(token: string, wallNowMs: number): number {
  const { exp, iat } = readClaims(token);
  if (typeof exp !== 'number') return Number.POSITIVE_INFINITY;
  const leftMs = exp * 1_000 - wallNowMs;
  const lifeMs = typeof iat === 'number' ? (exp - iat) * 1_000 : leftMs;
  // Outside of these bounds the clock of this machine is wrong. Its whole life is the best guess then.
  return leftMs > 0 && leftMs <= lifeMs ? leftMs : lifeMs;
}

function readClaims(token: string): { exp?: unknown; iat?: unknown } {
  try {
    const [, payload = ''] = token.split('.');
    return JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/'))) ?? {};
  } catch {
    return {};
  }
}
