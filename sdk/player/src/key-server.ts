import { attempt } from './attempt.ts';
import { systemClock } from './clock.ts';
import { withoutEndSlashes } from './key-url.ts';
import { createPageReleases, type PageReleases } from './page-releases.ts';
import { networkError, refusalOf } from './player-error.ts';
import { type AuthReason, fetchOf, type KeyServerOptions, requireKeyServerUrl } from './player-options.ts';
import { readRetryAfter } from './retry.ts';
import { askForToken, checkToken, createTokenAtHand, requireCallback } from './viewer-token.ts';
import { withTimeout } from './with-timeout.ts';

const silence = {
  failed: (cause: unknown) =>
    networkError('The key server cannot be reached, or does not list this origin in CORS_ORIGINS.', {
      cause,
    }),
  late: (limitMs: number) => networkError(`The key server did not answer within ${limitMs} ms.`),
};

/** One attempt, as the page sees it. `status` is 0 without an answer. */
export interface Attempt {
  readonly status: number;
  readonly durationMs: number;
}

interface KeyServerRequest {
  readonly url: string;
  readonly reason: AuthReason;
  readonly leaseId?: string | undefined;
  /** Makes it a POST. */
  readonly json?: object;
  /** The URL is the secret. */
  readonly withoutToken?: boolean;
  /** Outlives the page. */
  readonly keepalive?: boolean;
  readonly onAttempt?: (attempt: Attempt) => void;
  /** Resolves once the request may be sent: an answer that came while the application made its token may ask for a pause. */
  readonly mayStart?: () => Promise<void>;
}

/** Requests to the key server, each with a fresh token. */
export interface KeyServer {
  /** Absolute URL of a path of the server. */
  url(path: string): string;
  /**
   * @returns the application's token of now, which a header can carry
   * @throws PlayerError `AUTH_FAILED` if the callback fails, `UNAUTHENTICATED` if no header can carry the token
   */
  token(reason: AuthReason): Promise<string>;
  /**
   * @returns the body of a success
   * @throws PlayerError; for a 401 only after the application was called for another token. What `mayStart` throws
   */
  send(request: KeyServerRequest): Promise<ArrayBuffer>;
  /**
   * For a page that is being left. Sends at once, with the last token if the callback needs time. Sends again if that token
   * has expired and the callback is in time. Never fails.
   */
  sendNow(request: KeyServerRequest): Promise<void>;
  /** Whether this holder of leases needs a valid token at hand for `sendNow`. */
  keepTokenFresh(holder: object, isOn: boolean): void;
  readonly releases: PageReleases;
}

/** The token was not accepted. Another one may be. */
const unauthenticated = 401;

export function createKeyServer(options: KeyServerOptions): KeyServer {
  const { keyServerUrl, keyServerAuth, clock = systemClock } = options;
  requireKeyServerUrl(keyServerUrl);
  requireCallback(keyServerAuth);
  const request = fetchOf(options);
  const base = withoutEndSlashes(keyServerUrl);
  const atHand = createTokenAtHand(clock, () => token('lease'));

  async function token(reason: AuthReason): Promise<string> {
    const given = await askForToken(clock, keyServerAuth, reason);
    atHand.note(given);
    return given;
  }

  /** Without a timeout, since no one waits for the answer. @returns its status, 0 without an answer */
  async function post(asked: KeyServerRequest, withToken: string): Promise<number> {
    try {
      return (await request(asked.url, initOf({ ...asked, keepalive: true }, withToken))).status;
    } catch {
      return 0;
    }
  }

  return {
    url: (path) => `${base}${path}`,
    token,

    async send(asked) {
      const { url, onAttempt } = asked;
      for (let reason = asked.reason; ; reason = 'retry-after-401') {
        const init = initOf(asked, asked.withoutToken ? '' : await token(reason));
        await asked.mayStart?.();
        const startMs = clock.now();
        const report = (status: number) => onAttempt?.({ status, durationMs: clock.now() - startMs });
        const fetching = (signal: AbortSignal) => fetchWhole(request, url, { ...init, signal });
        const answer = await withTimeout(clock, fetching, silence).catch((error) => {
          report(0);
          throw error;
        });
        report(answer.status);
        if (answer.ok) return answer.body;
        const isLast = asked.withoutToken || reason === 'retry-after-401';
        if (answer.status === unauthenticated && !isLast) continue;
        const problem = attempt((): unknown => JSON.parse(new TextDecoder().decode(answer.body)));
        const wallNowMs = clock.wallNow();
        throw refusalOf(answer.status, problem, readRetryAfter(answer.retryAfter, wallNowMs), wallNowMs);
      }
    },

    async sendNow(asked) {
      // Undefined if the callback throws, or returns a token that cannot be sent.
      const given = attempt((): unknown => {
        const token: unknown = keyServerAuth({ reason: asked.reason });
        return typeof token === 'string' ? checkToken(token) : token;
      });
      if (typeof given === 'string') return void (await post(asked, given));
      const fresh = askForToken(clock, () => given as Promise<string>, asked.reason).catch(() => undefined);
      const { token: last } = atHand;
      const isUseless = last === undefined || atHand.isExpired();
      const sent = last === undefined ? undefined : post(asked, last);
      if (!isUseless && (await sent) !== unauthenticated) return;
      // The callback may answer at once, or the page may still exist when it does.
      const next = await fresh;
      if (next === undefined) return void (await sent);
      await Promise.all([sent, next !== last && post(asked, next)]);
    },

    keepTokenFresh: atHand.keepFresh,
    releases: createPageReleases(base, clock),
  };
}

function initOf({ json, leaseId, keepalive }: KeyServerRequest, token: string): RequestInit {
  const headers: Record<string, string> = {};
  if (token !== '') headers.Authorization = `Bearer ${token}`;
  if (leaseId !== undefined) headers['X-Lease-Id'] = leaseId;
  // Not `cache: 'no-store'`: Chromium then also ignores its cache of preflights, and makes two requests for each. The
  // server's Cache-Control is no-store anyway.
  const init: RequestInit = { headers };
  if (keepalive) init.keepalive = true;
  if (json === undefined) return init;
  headers['Content-Type'] = 'application/json';
  return { ...init, method: 'POST', body: JSON.stringify(json) };
}

async function fetchWhole(request: typeof globalThis.fetch, url: string, init: RequestInit) {
  const response = await request(url, init);
  const { ok, status, headers } = response;
  return { ok, status, retryAfter: headers.get('Retry-After'), body: await response.arrayBuffer() };
}
