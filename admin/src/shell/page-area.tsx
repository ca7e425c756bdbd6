import { Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { PageSkeleton } from '../components/page-skeleton.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { navItemsFor } from './nav-items.ts';
import { NotHere } from './not-here.tsx';
import { PageBoundary } from './page-boundary.tsx';
import styles from './shell.module.css';

/** The page that the address names, as far as the signed-in key may see it. */
export function PageArea() {
  const { scope } = useCurrentApiKey();
  const [location] = useLocation();
  const items = navItemsFor(scope);
  const [first] = items;
  return (
    <main id="main" className={styles.main} tabIndex={-1}>
      <PageBoundary key={location.split('/')[1]}>
        <Suspense fallback={<PageSkeleton />}>
          <Switch>
            <Route path="/">{first && <Redirect to={first.path} replace />}</Route>
            {items.map(({ path, Page }) => (
              <Route key={path} path={`${path}/*?`}>
                <Page />
              </Route>
            ))}
            <Route>
              <NotHere />
            </Route>
          </Switch>
        </Suspense>
      </PageBoundary>
    </main>
  );
}
