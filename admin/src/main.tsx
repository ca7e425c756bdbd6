// Before all components, whose own styles take precedence.
import './styles/mantine.css';
import './styles/tokens.css';
import './styles/base.css';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { notifyManager, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { lazy, StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { reading } from './api/api.ts';
import { IssuedKey } from './components/raw-key-panel.tsx';
import { ExactTimeTooltip } from './components/times.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { AppContext, createParts, useApp } from './session/app-context.ts';
import { StartScreen } from './shell/entrance.tsx';
import { ConnectionBanner, LimitBanner, Toaster } from './shell/notices.tsx';
import { Shell } from './shell/shell.tsx';
import { theme } from './shell/theme.tsx';
import { cutAddress, cutTypedCredentials } from './state/cut-typed-credentials.ts';
import { useStore } from './state/store.ts';

/**
 * The URL of this server, such as `https://example.com/latchkey`: without a closing slash, and with the path that a proxy strips. All scripts are in
 * `/admin/assets` below it.
 */
const serverUrl = import.meta.url.slice(0, import.meta.url.lastIndexOf('/admin/'));

const setupPath = '/api/v1/setup';
const SetupPage = lazy(() => import('./pages/setup/setup-page.tsx'));

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
const parts = createParts(serverUrl);
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
      <QueryClientProvider client={parts.queries}>
        <AppContext value={parts}>
          <Router base={new URL(`${serverUrl}/admin`).pathname}>
            <App />
          </Router>
        </AppContext>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
