import { Suspense, useMemo } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { PageSkeleton } from '../components/page-skeleton.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { ClockNotice } from './clock-notice.tsx';
import { navItemsFor, routeOf } from './nav-items.ts';
import { NotHere } from './not-here.tsx';
import { PageBoundary } from './page-boundary.tsx';
import styles from './shell.module.css';
import { useFetchedAhead } from './use-fetched-ahead.ts';

/** The page that the address names, as far as the signed-in key may see it. */
export function PageArea() {
  const { scope } = useCurrentApiKey();
  const [location] = useLocation();
  const items = useMemo(() => navItemsFor(scope), [scope]);
  useFetchedAhead(items);
  const [first] = items;
  return (
    <main id="main" className={styles.main} tabIndex={-1}>
      <ClockNotice />
      <PageBoundary key={location.split('/')[1]}>
        <Suspense fallback={<PageSkeleton />}>
          <Switch>
            {items.map(({ path, Page }) => (
              <Route key={path} path={routeOf({ path })}>
                <Page />
              </Route>
            ))}
            <Route path="/">{first && <Redirect to={first.path} replace />}</Route>
            <Route>
              <NotHere />
            </Route>
          </Switch>
        </Suspense>
      </PageBoundary>
    </main>
  );
}
