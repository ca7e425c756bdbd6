import { systemClock } from './clock.ts';
import { PlayerError, refusalOf } from './player-error.ts';
import type { AuthReason, KeyServerOptions } from './player-options.ts';
import { withTimeout } from './with-timeout.ts';

const silence = {
  failed: 'The key server cannot be reached, or does not list this origin in CORS_ORIGINS.',
  late: 'The key server did not answer',
};
const noToken = { failed: 'keyServerAuth gave no token.', late: 'keyServerAuth gave no token' };

/** One attempt, as the page sees it. `status` is 0 where there was no answer. */
export interface Attempt {
  readonly status: number;
  readonly durationMs: number;
}

export interface KeyServerRequest {
  readonly url: string;
  readonly reason: AuthReason;
  readonly leaseId?: string | undefined;
  /** Makes it a POST. */
  readonly json?: object;
  /** Outlives the page. */
  readonly keepalive?: boolean;
  readonly onAttempt?: (attempt: Attempt) => void;
}

/** Requests to the key server, each with a fresh token. */
export interface KeyServer {
  /** Absolute URL of a path of the server. */
  url(path: string): string;
  /**
   * @returns what the application gives now, as a header can carry it
   * @throws PlayerError `NETWORK` where it gives none in time, `UNAUTHENTICATED` where no header can carry it
   */
  token(reason: AuthReason): Promise<string>;
  /**
   * @returns the body of a success
   * @throws PlayerError; a 401 only after the application was asked for a token once more
   */
  send(request: KeyServerRequest): Promise<ArrayBuffer>;
  /** For a page that is being left: sent at once, with the last token where the callback needs time. Never fails. */
  sendNow(request: KeyServerRequest): Promise<void>;
}

export function createKeyServer(options: KeyServerOptions): KeyServer {
  const { keyServerUrl, keyServerAuth, clock = systemClock } = options;
  const request = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const base = keyServerUrl.replace(/\/+$/, '');
  let lastToken: string | undefined;

  async function token(reason: AuthReason): Promise<string> {
    const given = await withTimeout(clock, async () => keyServerAuth({ reason }), noToken);
    refuseUnsendable(given);
    lastToken = given;
    return given;
  }

  return {
    url: (path) => `${base}${path}`,
    token,

    async send(asked) {
      const { url, onAttempt } = asked;
      for (let reason = asked.reason; ; reason = 'retry-after-401') {
        const init = initOf(asked, await token(reason));
        const startMs = clock.now();
        const tell = (status: number) => onAttempt?.({ status, durationMs: clock.now() - startMs });
        const fetching = (signal: AbortSignal) => fetchWhole(request, url, { ...init, signal });
        const answer = await withTimeout(clock, fetching, silence).catch((error) => {
          tell(0);
          throw error;
        });
        tell(answer.status);
        if (answer.ok) return answer.body;
        if (answer.status === 401 && reason !== 'retry-after-401') continue;
        throw refusalOf(answer.status, parse(answer.body), answer.retryAfter);
      }
    },

    async sendNow(asked) {
      try {
        const given = keyServerAuth({ reason: asked.reason });
        if (typeof given === 'string') lastToken = given;
        else given.catch(() => {});
      } catch {
        // The last token may do.
      }
      if (lastToken === undefined) return;
      await request(asked.url, initOf({ ...asked, keepalive: true }, lastToken)).catch(() => {});
    },
  };
}

/** `fetch` would fail as it does where there is no server, and be tried again. */
function refuseUnsendable(token: string): void {
  try {
    new Headers({ Authorization: `Bearer ${token}` });
  } catch {
    // Without the cause: some runtimes quote the token in it.
    throw new PlayerError('UNAUTHENTICATED', 'keyServerAuth gave a token that no header can carry.');
  }
}

function initOf({ json, leaseId, keepalive }: KeyServerRequest, token: string): RequestInit {
  const headers: Record<string, string> = {};
  if (token !== '') headers.Authorization = `Bearer ${token}`;
  if (leaseId !== undefined) headers['X-Lease-Id'] = leaseId;
  // Not `cache: 'no-store'`: Chromium then leaves its cache of preflights aside, too, and asks twice for everything. The
  // server's own Cache-Control is no-store.
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

function parse(body: ArrayBuffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
