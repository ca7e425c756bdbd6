import { QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type Api, type ApiOptions, createApi, keyOf } from '../api/api.ts';
import { createConnection } from '../api/connection.ts';
import { createEvents } from '../api/events.ts';
import { createRateLimit, retryDelayMs, shouldRetry } from '../api/rate-limit.ts';
import type { CurrentApiKey } from '../api/schema.ts';
import { createClock, createTicker } from '../state/clock.ts';
import { createStore, useStore } from '../state/store.ts';
import { createToasts } from '../state/toasts.ts';
import { createSession } from './session.ts';

/** A new secret, to be shown once. */
interface ShownKey {
  kind: 'api-key' | 'webhook';
  /** Of the key or the webhook. */
  name: string;
  raw: string;
  /** A further result, such as when the old key ends. */
  note: string | null;
}

/** Short enough that a page shows current data when it is opened again, long enough that quick switches share one request. */
const staleMs = 5_000;

/**
 * Creates the objects that all pages share, and connects them.
 *
 * @param serverUrl without a closing slash, with the path below which a proxy serves this server
 */
export function createParts(serverUrl: string) {
  const rateLimit = createRateLimit();
  const clock = createClock();
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: staleMs,
        // The server may run on this machine, so the browser's offline state means nothing.
        networkMode: 'always',
        retry: shouldRetry,
        retryDelay: retryDelayMs,
      },
      mutations: { networkMode: 'always' },
    },
  });
  const apiOptions: ApiOptions = {
    fetch: (path, init) => fetch(`${serverUrl}${path}`, init),
    credential: () => session.credential(),
    onContact: (reached) => connection.report(reached),
    rateLimit,
    onDate: clock.observe,
    onKeyRefused: (credential) => session.refuse(credential),
  };
  const api = createApi(apiOptions);
  const ping = () => api.call('get', '/health', { credential: null });
  const events = createEvents({
    ...apiOptions,
    checkContact: () => void ping().catch(() => {}),
    view: document,
  });
  const session = createSession({
    storage: sessionStorage,
    readCurrent: async (credential) =>
      (await api.call('get', '/api/v1/api-keys/current', { credential })).api_key,
    onChange: () =>
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keyOf('/api/v1/setup')[0] }),
  });
  const connection = createConnection({
    ping,
    onBack: () => {
      session.resume();
      void queries.invalidateQueries();
    },
  });
  return {
    ...{ serverUrl, queries, api, session, connection, rateLimit, clock, events },
    seconds: createTicker(1_000),
    /** Of relative times: half of their smallest unit. */
    refreshes: createTicker(30_000),
    toasts: createToasts(),
    /** Shown above every page until the admin confirms that it is stored: it cannot be shown again. */
    issuedKey: createStore<ShownKey | null>(null),
  };
}

type AppParts = ReturnType<typeof createParts>;

/** `main.tsx` provides it to all that is drawn. */
export const AppContext = createContext(null as unknown as AppParts);

export const useApp = (): AppParts => useContext(AppContext);
export const useApi = (): Api => useApp().api;

/** The key that is signed in. @throws Error if nobody is signed in */
export function useCurrentApiKey(): CurrentApiKey {
  const state = useStore(useApp().session.state);
  if (state.status !== 'signed-in') throw new Error('Nobody is signed in.');
  return state.apiKey;
}
