// Before all components, whose own styles take precedence.
import './styles/mantine.css';
import './styles/tokens.css';
import './styles/base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { notifyManager, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { type ApiOptions, createApi, keyOf, reading } from './api/api.ts';
import { createConnection } from './api/connection.ts';
import { createEvents } from './api/events.ts';
import { createRateLimit, retryDelayMs, shouldRetry } from './api/rate-limit.ts';
import { IssuedKey } from './components/raw-key-panel.tsx';
import { ExactTimeTooltip } from './components/times.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { AppContext, type AppParts, type ShownKey, useApp } from './session/app-context.ts';
import { createSession } from './session/session.ts';
import { StartScreen } from './shell/entrance.tsx';
import { ConnectionBanner, LimitBanner, Toaster } from './shell/notices.tsx';
import { Shell } from './shell/shell.tsx';
import { theme } from './shell/theme.tsx';
import { createClock, createTicker } from './state/clock.ts';
import { cutAddress, cutTypedCredentials } from './state/cut-typed-credentials.ts';
import { createStore, useStore } from './state/store.ts';
import { NowContext, useNow } from './state/time.ts';
import { createToasts } from './state/toasts.ts';

/**
 * The URL of this server, such as `https://example.com/latchkey`: without a closing slash, and with the path that a proxy strips. All scripts are in
 * `/admin/assets` below it.
 */
const serverUrl = import.meta.url.slice(0, import.meta.url.lastIndexOf('/admin/'));

/** Short enough that a page shows current data when it is opened again, long enough that quick switches share one request. */
const staleMs = 5_000;

const setupPath = '/api/v1/setup';
const SetupPage = lazy(() => import('./pages/setup/setup-page.tsx'));

function Timed({ children }: { children: ReactNode }) {
  return <NowContext value={useNow()}>{children}</NowContext>;
}

/** Shows one of three: the setup wizard, the sign-in page, or the pages of the dashboard. */
function App() {
  return (
    <>
      <ConnectionBanner />
      <LimitBanner />
      <Suspense fallback={<StartScreen />}>
        <CurrentScreen />
      </Suspense>
      <IssuedKey />
      <Toaster />
      <ExactTimeTooltip />
    </>
  );
}

function CurrentScreen() {
  const { api, session } = useApp();
  const { status } = useStore(session.state);
  const [wizard, setWizard] = useState<'unneeded' | 'shown' | 'done'>('unneeded');
  const setup = useQuery({
    ...reading(api, setupPath, {}),
    queryFn: ({ signal }) => api.call('get', setupPath, { signal, credential: null }),
    // Read once, and again after a lost connection.
    staleTime: Number.POSITIVE_INFINITY,
    enabled: status !== 'signed-in',
  });
  if (status === 'signed-in') return <Shell />;
  if (status === 'restoring' || (setup.data === undefined && setup.error === null)) return <StartScreen />;
  // The wizard stays open after its first step has claimed the server: three steps follow.
  if (wizard === 'unneeded' && setup.data?.setup_required) setWizard('shown');
  if (wizard === 'shown' && setup.data)
    return <SetupPage server={setup.data} onDone={() => setWizard('done')} />;
  return <SignInPage />;
}

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
    fetch: (path, init) => fetch.call(globalThis, `${serverUrl}${path}`, init),
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
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keyOf(setupPath)[0] }),
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
      serverUrl,
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
async function isReplaced({ fetch }: Window & typeof globalThis): Promise<boolean> {
  const script = import.meta.url.slice(serverUrl.length);
  try {
    const answer = await fetch.call(globalThis, `${serverUrl}/admin/`, { cache: 'no-store' });
    return answer.ok && !(await answer.text()).includes(script);
  } catch {
    return false;
  }
}

// An answer is shown at once. By default it waits for a turn of the event loop, behind all that the browser draws.
notifyManager.setScheduler(queueMicrotask);
cutAddress(window);
cutTypedCredentials(document);
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
          <Router base={new URL(`${serverUrl}/admin`).pathname}>
            <Timed>
              <App />
            </Timed>
          </Router>
        </AppContext>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
