import { type ComponentType, type LazyExoticComponent, lazy } from 'react';
import type { Scope } from '../api/resources.ts';
import type { IconName } from '../components/icon.tsx';
import { may } from '../session/permissions.ts';

export interface NavItem {
  /** Within /admin. */
  path: string;
  label: string;
  icon: IconName;
  isFor: (scope: Scope) => boolean;
  /** Fetches the page; also ahead of the click. */
  load: () => Promise<{ default: ComponentType }>;
  Page: LazyExoticComponent<ComponentType>;
}

function page(item: Omit<NavItem, 'Page'>): NavItem {
  return { ...item, Page: lazy(item.load) };
}

/** Every page, in the order of the navigation; the first that a key may see is where signing in leads. */
export const navItems: readonly NavItem[] = [
  page({
    path: '/api-keys',
    label: 'API keys',
    icon: 'key',
    isFor: (scope) => may(scope, 'manage'),
    load: () => import('../pages/api-keys/api-keys-page.tsx'),
  }),
  page({
    path: '/content',
    label: 'Content',
    icon: 'film',
    isFor: (scope) => may(scope, 'read-content'),
    load: () => import('../pages/content/content-page.tsx'),
  }),
  page({
    path: '/leases',
    label: 'Leases',
    icon: 'clock',
    isFor: (scope) => may(scope, 'manage'),
    load: () => import('../pages/leases/leases-page.tsx'),
  }),
  page({
    path: '/account',
    label: 'Your key',
    icon: 'person',
    isFor: () => true,
    load: () => import('../pages/account/account-page.tsx'),
  }),
];

export function navItemsFor(scope: Scope): NavItem[] {
  return navItems.filter(({ isFor }) => isFor(scope));
}
