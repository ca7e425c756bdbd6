import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { queryKeys } from './api/query-keys.ts';
import { readSetup } from './api/setup.ts';
import { IssuedKey } from './components/raw-key-panel.tsx';
import { ExactTimeTooltip } from './components/times.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { useApp } from './session/app-context.ts';
import { StartScreen } from './shell/entrance.tsx';
import { ConnectionBanner, LimitBanner, Toaster } from './shell/notices.tsx';
import { Shell } from './shell/shell.tsx';
import { useStore } from './state/store.ts';

const SetupPage = lazy(() => import('./pages/setup/setup-page.tsx'));

/** Shows one of three: the setup wizard, the sign-in page, or the pages of the dashboard. */
export function App() {
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
    queryKey: queryKeys.setup,
    queryFn: ({ signal }) => readSetup(api, signal),
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
