import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHead } from '../components/page-head.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { navItems, navItemsFor } from './nav-items.ts';

/** An address that is none, or that is not for this key. */
export function NotHere() {
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
