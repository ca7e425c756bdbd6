import { Button } from '@mantine/core';
import { useTimeout } from '@mantine/hooks';
import { Component, type ReactNode, Suspense } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHead, PageSkeleton } from '../components/page-head.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { may } from '../session/permissions.ts';
import { usePreloadedApiKeyNames } from '../state/use-api-key-names.ts';
import { type NavItem, navItems, navItemsFor, routeOf } from './nav-items.tsx';
import { ClockNotice } from './notices.tsx';
import styles from './shell.module.css';

/** The page at the current address, if the signed-in key can see it. */
export function PageArea() {
  const apiKey = useCurrentApiKey();
  const [location] = useLocation();
  const items = navItemsFor(apiKey);
  usePreloadedPages(items);
  usePreloadedApiKeyNames(may(apiKey, 'manage'));
  const [first] = items;
  const begun = `/${location.split('/')[1]}`;
  return (
    <main id="main" className={styles.main} tabIndex={-1}>
      <ClockNotice />
      <PageBoundary key={begun}>
        <Suspense fallback={<PageSkeleton title={items.find(({ path }) => path === begun)?.label} />}>
          <Switch>
            {items.map(({ path, Page }) => (
              <Route key={path} path={routeOf({ path })}>
                <Page />
              </Route>
            ))}
            <Route path="/">{first && <Redirect to={first.path} replace />}</Route>
            <Route>
              <MissingPage />
            </Route>
          </Switch>
        </Suspense>
      </PageBoundary>
    </main>
  );
}

/** For an unknown address, or for a page that this key cannot see. */
function MissingPage() {
  const apiKey = useCurrentApiKey();
  const [first] = navItemsFor(apiKey);
  const [location] = useLocation();
  const isForbidden = navItems.some(({ path }) => path !== '/' && location.startsWith(path));
  const home = first && <Link href={first.path}>Go to {first.label}</Link>;
  if (!isForbidden)
    return (
      <>
        <PageHead title="No such page" />
        <EmptyState icon="search" title="There is no page at this address" action={home}>
          The address may be mistyped, or belong to another version of the dashboard.
        </EmptyState>
      </>
    );
  const isLimited = apiKey.contents && may(apiKey, 'manage');
  return (
    <>
      <PageHead title="Access denied" />
      <EmptyState
        icon="stop"
        title={
          isLimited
            ? 'This page is about the whole server'
            : `Scope ${apiKey.scope} does not include this page`
        }
        action={home}
      >
        {isLimited
          ? 'Your key is limited to some contents. Sign in with a key of all contents to see it.'
          : 'Sign in with a key of scope admin or full to see it.'}
      </EmptyState>
    </>
  );
}

/** Keeps the frame if a page fails. */
class PageBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    const reload = <Button onClick={() => window.location.reload()}>Reload the page</Button>;
    return (
      <div role="alert">
        <EmptyState icon="warning" title="This page could not be shown" action={reload}>
          It failed while loading or drawing. Nothing on the server has changed.
        </EmptyState>
      </div>
    );
  }
}

/** Lets the requests of the first page go first. */
const afterMs = 200;

/** Loads the other pages in idle time: some kilobytes each, and every click then shows its page at once. */
function usePreloadedPages(items: readonly NavItem[]): void {
  const preload = () => {
    // A page that fails to load now is loaded on its click, and shows the error then.
    for (const { load } of items) void load().catch(() => {});
  };
  useTimeout(preload, afterMs, { autoInvoke: true });
}
