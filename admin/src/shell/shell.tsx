import { ActionIcon, Drawer } from '@mantine/core';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Link, useRoute } from 'wouter';
import { Icon } from '../components/icon.tsx';
import { withoutDirection } from '../components/mark-direction.ts';
import { OutsideText } from '../components/outside-text.tsx';
import type { Palette } from '../palette/palette.tsx';
import { useShortcuts } from '../palette/use-shortcuts.ts';
import { useApp, useCurrentApiKey } from '../session/app-context.ts';
import { Logo } from './entrance.tsx';
import { type NavItem, navItemsFor, routeOf } from './nav-items.tsx';
import { PageArea } from './page-area.tsx';
import styles from './shell.module.css';
import { ThemeSwitch } from './theme.tsx';

/** A script of its own, so that the first page is smaller. It is loaded before anybody has pressed its keys. */
const loadPalette = () => import('../palette/palette.tsx');

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** It is loaded again when it is opened. */
const ignore = () => {};

/** The frame around every page: navigation at the side, or in a drawer on narrow screens. */
export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const [OpenedPalette, setPalette] = useState<typeof Palette | null>(null);
  const apiKey = useCurrentApiKey();
  const pages = useMemo(() => navItemsFor(apiKey), [apiKey]);
  const openPalette = useCallback(
    () => void loadPalette().then((script) => setPalette(() => script.Palette), ignore),
    [],
  );
  useEffect(() => void loadPalette().catch(ignore), []);
  useShortcuts({ pages, openPalette });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip navigation
      </a>
      <section className={styles.bar} aria-label="Dashboard">
        <Logo />
        <ActionIcon
          size="lg"
          className={styles.find ?? ''}
          aria-label="Go to a page, name or ID"
          aria-haspopup="dialog"
          onClick={openPalette}
        >
          <Icon name="search" />
        </ActionIcon>
        <ActionIcon
          size="lg"
          aria-label="Open the navigation"
          aria-haspopup="dialog"
          onClick={() => setOpen(true)}
        >
          <Icon name="menu" />
        </ActionIcon>
      </section>
      <aside className={styles.side} aria-label="Dashboard">
        <Logo />
        <button type="button" className={styles.goTo} aria-haspopup="dialog" onClick={openPalette}>
          <Icon name="search" size={17} />
          Go to…
          <kbd className={styles.keys}>{isMac ? '⌘ K' : 'Ctrl K'}</kbd>
        </button>
        <Navigation />
        <Foot />
      </aside>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={<Logo />}
        size="18rem"
        position="right"
        closeButtonProps={{ 'aria-label': 'Close the navigation' }}
        classNames={{ body: styles.drawer ?? '', content: styles.drawerContent ?? '' }}
      >
        <Navigation onGo={() => setOpen(false)} />
        <Foot />
      </Drawer>
      <PageArea />
      {OpenedPalette && <OpenedPalette onClose={() => setPalette(null)} />}
    </div>
  );
}

function Foot() {
  return (
    <div className={styles.foot}>
      <ThemeSwitch />
      <AccountBox />
    </div>
  );
}

/** Links to the pages that the signed-in key can see. */
function Navigation({ onGo }: { onGo?: () => void }) {
  const apiKey = useCurrentApiKey();
  return (
    <nav aria-label="Pages" className={styles.nav}>
      {navItemsFor(apiKey).map((item) => (
        <NavLink key={item.path} item={item} onGo={onGo} />
      ))}
    </nav>
  );
}

function NavLink({ item, onGo }: { item: NavItem; onGo: (() => void) | undefined }) {
  const { path, label, icon, load } = item;
  // A page below it counts as the page itself.
  const [isHere] = useRoute(routeOf(item));
  const preload = () => void load().catch(() => {});
  return (
    <Link
      href={path}
      className={styles.link}
      aria-current={isHere ? 'page' : undefined}
      onClick={() => onGo?.()}
      onPointerEnter={preload}
      onFocus={preload}
    >
      <Icon name={icon} />
      {label}
    </Link>
  );
}

/** The signed-in key, and the sign-out button. */
function AccountBox() {
  const { session } = useApp();
  const { name, scope, contents } = useCurrentApiKey();
  return (
    <div className={styles.account}>
      <div className={styles.who}>
        <OutsideText className={styles.name} title={withoutDirection(name)} text={name} />
        <span className={styles.scope}>
          signed in · {scope}
          {contents && ', some contents'}
        </span>
      </div>
      <ActionIcon aria-label="Sign out" title="Sign out" onClick={() => session.signOut()}>
        <Icon name="signOut" size={18} />
      </ActionIcon>
    </div>
  );
}
