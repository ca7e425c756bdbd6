import { type ComponentType, lazy, useState } from 'react';
import type { IconName } from '../components/icon.tsx';
import { type Holder, may } from '../session/permissions.ts';

/** A page in a script file of its own. */
interface LazyPage {
  /** Loads it. Can be called before it is shown. */
  load: () => Promise<{ default: ComponentType }>;
  /** Shows it, at once if it is loaded. */
  Page: ComponentType;
}

/** Like `lazy`, but draws a loaded page at once. React's `lazy` would show the fallback even then, for 300 ms against flicker. */
function lazyPage(loadScript: LazyPage['load']): LazyPage {
  let loaded: ComponentType | null = null;
  const load: LazyPage['load'] = async () => {
    const script = await loadScript();
    loaded = script.default;
    return script;
  };
  const Suspending = lazy(load);
  return {
    load,
    Page: function Page() {
      // Chosen once: another component here would remount the page and lose its state.
      const [Shown] = useState(() => loaded ?? Suspending);
      return <Shown />;
    },
  };
}

/** The groups of the navigation, in its order. */
export const navGroups = ['watch', 'manage', 'set up'] as const;

export interface NavItem extends LazyPage {
  /** Within /admin. */
  path: string;
  label: string;
  /** The letter that leads there after `g`. */
  shortcut: string;
  group: (typeof navGroups)[number];
  icon: IconName;
  isFor: (apiKey: Holder) => boolean;
}

/** Every page, in the order of the navigation. Signing in leads to the first page that the key can see. */
const pages: readonly Omit<NavItem, 'Page'>[] = [
  {
    path: '/',
    label: 'Overview',
    shortcut: 'o',
    group: 'watch',
    icon: 'chart',
    isFor: (apiKey) => may(apiKey, 'manage'),
    load: () => import('../pages/overview/overview-page.tsx'),
  },
  {
    path: '/refusals',
    label: 'Refusals',
    shortcut: 'r',
    group: 'watch',
    icon: 'stop',
    isFor: (apiKey) => may(apiKey, 'manage'),
    load: () => import('../pages/refusals/refusals-page.tsx'),
  },
  {
    path: '/usage',
    label: 'Usage',
    shortcut: 'u',
    group: 'watch',
    icon: 'bars',
    isFor: (apiKey) => may(apiKey, 'manage'),
    load: () => import('../pages/usage/usage-page.tsx'),
  },
  {
    path: '/audit',
    label: 'Audit',
    shortcut: 'a',
    group: 'watch',
    icon: 'list',
    isFor: (apiKey) => may(apiKey, 'whole-server'),
    load: () => import('../pages/audit/audit-page.tsx'),
  },
  {
    path: '/content',
    label: 'Content',
    shortcut: 'c',
    group: 'manage',
    icon: 'film',
    isFor: (apiKey) => may(apiKey, 'read-content'),
    load: () => import('../pages/content/content-page.tsx'),
  },
  {
    path: '/leases',
    label: 'Leases',
    shortcut: 'l',
    group: 'manage',
    icon: 'clock',
    isFor: (apiKey) => may(apiKey, 'manage'),
    load: () => import('../pages/leases/leases-page.tsx'),
  },
  {
    path: '/viewers',
    label: 'Viewers',
    shortcut: 'v',
    group: 'manage',
    icon: 'people',
    isFor: (apiKey) => may(apiKey, 'manage'),
    load: () => import('../pages/viewers/viewers-page.tsx'),
  },
  {
    path: '/api-keys',
    label: 'API keys',
    shortcut: 'k',
    group: 'manage',
    icon: 'key',
    isFor: (apiKey) => may(apiKey, 'manage'),
    load: () => import('../pages/api-keys/api-keys-page.tsx'),
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    shortcut: 'w',
    group: 'set up',
    icon: 'webhook',
    isFor: (apiKey) => may(apiKey, 'whole-server'),
    load: () => import('../pages/webhooks/webhooks-page.tsx'),
  },
  {
    path: '/settings',
    label: 'Settings',
    shortcut: 's',
    group: 'set up',
    icon: 'settings',
    isFor: (apiKey) => may(apiKey, 'whole-server'),
    load: () => import('../pages/settings/settings-page.tsx'),
  },
  {
    path: '/account',
    label: 'Your key',
    shortcut: 'y',
    group: 'set up',
    icon: 'person',
    isFor: () => true,
    load: () => import('../pages/account/account-page.tsx'),
  },
];

export const navItems: readonly NavItem[] = pages.map((page) => ({ ...page, ...lazyPage(page.load) }));

export function navItemsFor(apiKey: Holder): NavItem[] {
  return navItems.filter(({ isFor }) => isFor(apiKey));
}

/** The address pattern of a page: its own address, and those below it. */
export function routeOf({ path }: Pick<NavItem, 'path'>): string {
  return path === '/' ? path : `${path}/*?`;
}
