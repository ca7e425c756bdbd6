import { type ComponentType, lazy, useState } from 'react';
import type { CurrentApiKey } from '../api/schema.ts';
import type { IconName } from '../components/icon.tsx';
import { may, type Permission } from '../session/permissions.ts';

/** Like `lazy`, but draws a loaded page at once. React's `lazy` would show the fallback even then, for 300 ms against flicker. */
function lazyPage(loadScript: () => Promise<{ default: ComponentType }>) {
  let loaded: ComponentType | null = null;
  /** Loads its script. Can be called before it is shown. */
  const load = async () => {
    const script = await loadScript();
    loaded = script.default;
    return script;
  };
  const Suspending = lazy(load);
  return {
    load,
    /** Shows it, at once if it is loaded. */
    Page: function Page() {
      // Chosen once: another component here would remount the page and lose its state.
      const [Shown] = useState(() => loaded ?? Suspending);
      return <Shown />;
    },
  };
}

export interface NavItem extends ReturnType<typeof lazyPage> {
  /** Within /admin. */
  path: string;
  label: string;
  /** The letter that leads there after `g`. */
  shortcut: string;
  group: 'watch' | 'manage' | 'set up';
  icon: IconName;
  /** The permission that a key needs to see it. */
  needs?: Permission;
}

/** The script of each page, by its path. */
const scripts = {
  '/': () => import('../pages/overview/overview-page.tsx'),
  '/refusals': () => import('../pages/refusals/refusals-page.tsx'),
  '/usage': () => import('../pages/usage/usage-page.tsx'),
  '/audit': () => import('../pages/audit/audit-page.tsx'),
  '/content': () => import('../pages/content/content-page.tsx'),
  '/leases': () => import('../pages/leases/leases-page.tsx'),
  '/viewers': () => import('../pages/viewers/viewers-page.tsx'),
  '/api-keys': () => import('../pages/api-keys/api-keys-page.tsx'),
  '/webhooks': () => import('../pages/webhooks/webhooks-page.tsx'),
  '/settings': () => import('../pages/settings/settings-page.tsx'),
  '/account': () => import('../pages/account/account-page.tsx'),
};

/** Every page, in the order of the navigation. Signing in leads to the first page that the key can see. */
const pages: readonly (Omit<NavItem, 'load' | 'Page'> & { path: keyof typeof scripts })[] = [
  { path: '/', label: 'Overview', shortcut: 'o', group: 'watch', icon: 'chart', needs: 'manage' },
  { path: '/refusals', label: 'Refusals', shortcut: 'r', group: 'watch', icon: 'stop', needs: 'manage' },
  { path: '/usage', label: 'Usage', shortcut: 'u', group: 'watch', icon: 'bars', needs: 'manage' },
  { path: '/audit', label: 'Audit', shortcut: 'a', group: 'watch', icon: 'list', needs: 'whole-server' },
  { path: '/content', label: 'Content', shortcut: 'c', group: 'manage', icon: 'film', needs: 'read-content' },
  { path: '/leases', label: 'Leases', shortcut: 'l', group: 'manage', icon: 'clock', needs: 'manage' },
  { path: '/viewers', label: 'Viewers', shortcut: 'v', group: 'manage', icon: 'people', needs: 'manage' },
  { path: '/api-keys', label: 'API keys', shortcut: 'k', group: 'manage', icon: 'key', needs: 'manage' },
  {
    path: '/webhooks',
    label: 'Webhooks',
    shortcut: 'w',
    group: 'set up',
    icon: 'webhook',
    needs: 'whole-server',
  },
  {
    path: '/settings',
    label: 'Settings',
    shortcut: 's',
    group: 'set up',
    icon: 'settings',
    needs: 'whole-server',
  },
  { path: '/account', label: 'Your key', shortcut: 'y', group: 'set up', icon: 'person' },
];

export const navItems: readonly NavItem[] = pages.map((page) => ({
  ...page,
  ...lazyPage(scripts[page.path]),
}));

export function navItemsFor(apiKey: CurrentApiKey): NavItem[] {
  return navItems.filter(({ needs }) => !needs || may(apiKey, needs));
}

/** The address pattern of a page: its own address, and those below it. */
export function routeOf({ path }: Pick<NavItem, 'path'>): string {
  return path === '/' ? path : `${path}/*?`;
}
