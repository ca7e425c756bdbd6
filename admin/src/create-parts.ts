import { QueryClient } from '@tanstack/react-query';
import { type ApiOptions, createApi } from './api/api.ts';
import { readCurrentApiKey } from './api/api-keys.ts';
import { createConnection } from './api/connection.ts';
import { createEvents } from './api/events.ts';
import { queryKeys } from './api/query-keys.ts';
import { askAgainAfterMs, createRateLimit, isAskedAgain } from './api/rate-limit.ts';
import type { AppParts, ShownKey } from './session/app-context.ts';
import { createSession } from './session/session.ts';
import { createClock } from './state/clock.ts';
import { createStore } from './state/store.ts';
import { createTicker } from './state/time.ts';
import { createToasts } from './state/toasts.ts';

/** Short enough that coming back to a page shows what is true, long enough that going to and fro asks once. */
const staleMs = 5_000;
/** Where the server counts requests: the time for which it counts them. */
const countedStaleMs = 60_000;

/** Makes what every page stands on, and ties it together. */
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
        // The server may be this machine: whether there is a network says nothing.
        networkMode: 'always',
        retry: isAskedAgain,
        retryDelay: askAgainAfterMs,
      },
      mutations: { networkMode: 'always' },
    },
  });
  const way: ApiOptions = {
    fetch: fetch.bind(globalThis),
    credential: () => session.credential(),
    onContact: (reached) => connection.report(reached),
    rateLimit,
    onDate: clock.hear,
    onKeyRefused: (credential) => session.refuse(credential),
  };
  const api = createApi(way);
  const ping = () => api.request('GET', '/health', { credential: null });
  const events = createEvents({
    ...way,
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
