import { Button } from '@mantine/core';
import { Component, type ReactNode, Suspense, useEffect, useMemo } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHead, PageSkeleton } from '../components/page-head.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { ClockNotice } from './clock-notice.tsx';
import { type NavItem, navItems, navItemsFor, routeOf } from './nav-items.ts';
import styles from './shell.module.css';

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

/** An address that is none, or that is not for this key. */
function NotHere() {
  const { scope } = useCurrentApiKey();
  const [first] = navItemsFor(scope);
  const { pathname } = window.location;
  const isForbidden = navItems.some(({ path }) => path !== '/' && pathname.startsWith(`/admin${path}`));
  const home = first && <Link href={first.path}>Go to {first.label}</Link>;
  if (!isForbidden)
    return (
      <>
        <PageHead title="No such page" />
        <EmptyState icon="search" title="Nothing is at this address" action={home}>
          It may be mistyped, or from another version of the dashboard.
        </EmptyState>
      </>
    );
  return (
    <>
      <PageHead title="Not for this key" />
      <EmptyState icon="stop" title={`Scope ${scope} does not open this page`} action={home}>
        Sign in with a key of scope admin or full to see it.
      </EmptyState>
    </>
  );
}

/** Keeps the frame standing where a page breaks. */
class PageBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    const reload = <Button onClick={() => window.location.reload()}>Load the page again</Button>;
    return (
      <div role="alert">
        <EmptyState icon="warning" title="This page could not be shown" action={reload}>
          It broke while being drawn or fetched. Nothing on the server was changed by that.
        </EmptyState>
      </div>
    );
  }
}

/** Leaves the way to what the first page asks for. */
const afterMs = 200;

/** Fetches the other pages while nothing else is to be done: some kilobytes each, and every click is answered at once. */
function useFetchedAhead(items: readonly NavItem[]): void {
  useEffect(() => {
    const timer = setTimeout(() => {
      // One that is not fetched now is fetched when it is asked for, and says then what is wrong.
      for (const { load } of items) void load().catch(() => {});
    }, afterMs);
    return () => clearTimeout(timer);
  }, [items]);
}
