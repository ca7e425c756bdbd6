import type { Scope } from '../api/resources.ts';
import type { IconName } from '../components/icon.tsx';
import { may } from '../session/permissions.ts';
import { type LazyPage, lazyPage } from './lazy-page.tsx';

export interface NavItem extends LazyPage {
  /** Within /admin. */
  path: string;
  label: string;
  icon: IconName;
  isFor: (scope: Scope) => boolean;
}

function page(item: Omit<NavItem, 'Page'>): NavItem {
  return { ...item, ...lazyPage(item.load) };
}

/** Every page, in the order of the navigation. Signing in leads to the first page that the key can see. */
export const navItems: readonly NavItem[] = [
  page({
    path: '/',
    label: 'Overview',
    icon: 'chart',
    isFor: (scope) => may(scope, 'manage'),
    load: () => import('../pages/overview/overview-page.tsx'),
  }),
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
    path: '/audit',
    label: 'Audit',
    icon: 'list',
    isFor: (scope) => may(scope, 'manage'),
    load: () => import('../pages/audit/audit-page.tsx'),
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

/** The address pattern of a page: its own address, and those below it. */
export function routeOf({ path }: Pick<NavItem, 'path'>): string {
  return path === '/' ? path : `${path}/*?`;
}
