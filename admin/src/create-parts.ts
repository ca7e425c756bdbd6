import { QueryClient } from '@tanstack/react-query';
import { type ApiOptions, createApi } from './api/api.ts';
import { readCurrentApiKey } from './api/api-keys.ts';
import { createConnection } from './api/connection.ts';
import { createEvents } from './api/events.ts';
import { queryKeys } from './api/query-keys.ts';
import { createRateLimit, retryDelayMs, shouldRetry } from './api/rate-limit.ts';
import type { AppParts, ShownKey } from './session/app-context.ts';
import { createSession } from './session/session.ts';
import { createClock } from './state/clock.ts';
import { createStore } from './state/store.ts';
import { createTicker } from './state/time.ts';
import { createToasts } from './state/toasts.ts';

/** Short enough that a page shows current data when it is opened again, long enough that quick switches share one request. */
const staleMs = 5_000;
/** For a server with rate limits: the length of their window. */
const countedStaleMs = 60_000;

/** Creates the objects that all pages share, and connects them. */
export function createParts({ fetch, sessionStorage, document }: Window & typeof globalThis): {
  queries: QueryClient;
  parts: AppParts;
} {
  const rateLimit = createRateLimit();
  const clock = createClock();
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: () => (rateLimit.isCounting.get() ? countedStaleMs : staleMs),
        // The server may run on this machine, so the browser's offline state means nothing.
        networkMode: 'always',
        retry: shouldRetry,
        retryDelay: retryDelayMs,
      },
      mutations: { networkMode: 'always' },
    },
  });
  const apiOptions: ApiOptions = {
    fetch: fetch.bind(globalThis),
    credential: () => session.credential(),
    onContact: (reached) => connection.report(reached),
    rateLimit,
    onDate: clock.observe,
    onKeyRefused: (credential) => session.refuse(credential),
  };
  const api = createApi(apiOptions);
  const ping = () => api.request('GET', '/health', { credential: null });
  const events = createEvents({
    ...apiOptions,
    checkContact: () => void ping().catch(() => {}),
    view: document,
  });
  const session = createSession({
    storage: sessionStorage,
    readCurrent: (credential) => readCurrentApiKey(api, credential),
    onChange: () =>
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== queryKeys.setup[0] }),
  });
  const connection = createConnection({
    ping,
    onBack: () => {
      session.resume();
      void queries.invalidateQueries();
    },
  });
  return {
    queries,
    parts: {
      api,
      session,
      connection,
      rateLimit,
      clock,
      events,
      ticker: createTicker(),
      toasts: createToasts(),
      issuedKey: createStore<ShownKey | null>(null),
    },
  };
}
