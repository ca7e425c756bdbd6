import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { type ApiOptions, createApi } from './api/api.ts';
import { readCurrentApiKey } from './api/api-keys.ts';
import { createConnection } from './api/connection.ts';
import { createEvents } from './api/events.ts';
import { queryKeys } from './api/query-keys.ts';
import { createRateLimit, retryDelayMs, shouldRetry } from './api/rate-limit.ts';
import { App } from './app.tsx';
import { AppContext, type AppParts, type ShownKey } from './session/app-context.ts';
import { createSession } from './session/session.ts';
import { createClock, createTicker } from './state/clock.ts';
import { createStore } from './state/store.ts';
import { createToasts } from './state/toasts.ts';
import './styles/mantine.css';
import './styles/tokens.css';
import './styles/base.css';
import { theme } from './theme.ts';

/** Short enough that a page shows current data when it is opened again, long enough that quick switches share one request. */
const staleMs = 5_000;
/** For a server with rate limits: the length of their window. */
const countedStaleMs = 60_000;

/** Creates the objects that all pages share, and connects them. */
function createParts({ fetch, sessionStorage, document }: Window & typeof globalThis): {
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

const reloadedAtKey = 'latchkey-reloaded-at';
/** A second failure within this time is a fault, not a new build. Reloading again would never end. */
const reloadOnceMs = 60_000;

/**
 * After a server upgrade the script files of an open page have other names. Reloads the page then, once. A file that fails to load
 * for another reason, such as a changed network, is loaded again on the next visit of its page. A reload would sign out an admin
 * whose key is in memory only.
 */
function reloadWhenReplaced(page: Window & typeof globalThis): void {
  page.addEventListener('vite:preloadError', async () => {
    if (!(await isReplaced(page))) return;
    const last = Number(page.sessionStorage.getItem(reloadedAtKey) ?? 0);
    if (Date.now() - last < reloadOnceMs) return;
    page.sessionStorage.setItem(reloadedAtKey, String(Date.now()));
    page.location.reload();
  });
}

/** Whether the server's page now starts with another script than this page. False if the server does not answer. */
async function isReplaced({ document, fetch }: Window & typeof globalThis): Promise<boolean> {
  const entry = document.querySelector('script[type="module"][src]')?.getAttribute('src');
  try {
    const answer = await fetch.call(globalThis, import.meta.env.BASE_URL, { cache: 'no-store' });
    return answer.ok && entry !== null && entry !== undefined && !(await answer.text()).includes(entry);
  } catch {
    return false;
  }
}

const { queries, parts } = createParts(window);
const schemeManager = localStorageColorSchemeManager({ key: 'latchkey-color-scheme' });
reloadWhenReplaced(window);

// Mantine would write its variables and classes into <style> elements, which the page's policy forbids. tokens.css has the
// variables.
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={schemeManager}
      withCssVariables={false}
      withGlobalClasses={false}
    >
      <QueryClientProvider client={queries}>
        <AppContext value={parts}>
          <Router base="/admin">
            <App />
          </Router>
        </AppContext>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
