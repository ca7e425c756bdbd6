import { ActionIcon, Drawer, Flex } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useMemo, useState } from 'react';
import { Link, useRoute } from 'wouter';
import { Icon } from '../components/icon.tsx';
import { withoutDirection } from '../components/mark-direction.ts';
import { OutsideText } from '../components/outside-text.tsx';
import { countProblems, type Problems } from '../pages/overview/concerns.ts';
import type { Palette } from '../palette/palette.tsx';
import type { ShortcutsDialog } from '../palette/shortcuts-dialog.tsx';
import { paletteKeys, useShortcuts } from '../palette/use-shortcuts.ts';
import { useApi, useApp, useCurrentApiKey } from '../session/app-context.ts';
import { may } from '../session/permissions.ts';
import { readingProblems } from '../state/reading-problems.ts';
import { Logo } from './entrance.tsx';
import { type NavItem, navGroups, navItemsFor, routeOf } from './nav-items.tsx';
import { PageArea } from './page-area.tsx';
import styles from './shell.module.css';
import { ThemeSwitch } from './theme.tsx';

/** A script of its own, so that the first page is smaller. It is loaded before anybody has pressed its keys. */
const loadPalette = () => import('../palette/palette.tsx');
const loadHelp = () => import('../palette/shortcuts-dialog.tsx');

/** It is loaded again when it is opened. */
const ignore = () => {};

/** The frame around every page: navigation at the side, or in a drawer on narrow screens. */
export function Shell() {
  const [isOpen, setOpen] = useState(false);
  const [OpenedPalette, setPalette] = useState<typeof Palette | null>(null);
  const [OpenedHelp, setHelp] = useState<typeof ShortcutsDialog | null>(null);
  const apiKey = useCurrentApiKey();
  const pages = useMemo(() => navItemsFor(apiKey), [apiKey]);
  const openPalette = useCallback(
    () => void loadPalette().then((script) => setPalette(() => script.Palette), ignore),
    [],
  );
  const openHelp = useCallback(
    () => void loadHelp().then((script) => setHelp(() => script.ShortcutsDialog), ignore),
    [],
  );
  useEffect(() => void loadPalette().catch(ignore), []);
  useShortcuts({ pages, openPalette, openHelp });
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip navigation
      </a>
      <section className={styles.bar} aria-label="Dashboard">
        <Logo />
        <ActionIcon
          size="lg"
          ml="auto"
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
          <kbd>{paletteKeys}</kbd>
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
        styles={{
          content: { display: 'flex', flexDirection: 'column' },
          body: { display: 'flex', flex: 1, flexDirection: 'column', gap: '2rem' },
        }}
      >
        <Navigation onGo={() => setOpen(false)} />
        <Foot />
      </Drawer>
      <PageArea />
      {OpenedPalette && <OpenedPalette onClose={() => setPalette(null)} />}
      {OpenedHelp && <OpenedHelp onClose={() => setHelp(null)} />}
    </div>
  );
}

function Foot() {
  return (
    <Flex direction="column" gap="0.875rem" align="flex-start" mt="auto">
      <ThemeSwitch />
      <AccountBox />
    </Flex>
  );
}

/** Links to the pages that the signed-in key can see, in groups. */
function Navigation({ onGo }: { onGo?: () => void }) {
  const problems = useProblems();
  const items = Map.groupBy(navItemsFor(useCurrentApiKey()), ({ group }) => group);
  return (
    <nav aria-label="Pages" className={styles.nav}>
      {navGroups.map((group) => {
        const own = items.get(group);
        return (
          own && (
            <div key={group}>
              <p aria-hidden="true" className={styles.group}>
                {group}
              </p>
              <ul aria-label={group} className={styles.links}>
                {own.map((item) => (
                  <NavLink key={item.path} item={item} problems={problems?.get(item.path)} onGo={onGo} />
                ))}
              </ul>
            </div>
          )
        );
      })}
    </nav>
  );
}

/** The open problems by page; undefined if they are not known, or the key may not know them. */
function useProblems(): ReadonlyMap<string, Problems> | undefined {
  const api = useApi();
  const isAllowed = may(useCurrentApiKey(), 'whole-server');
  const { data, isError } = useQuery({ ...readingProblems(api), enabled: isAllowed });
  return useMemo(
    () => (data && isAllowed && !isError ? countProblems(data.statistics) : undefined),
    [data, isAllowed, isError],
  );
}

interface NavLinkProps {
  item: NavItem;
  problems: Problems | undefined;
  onGo: (() => void) | undefined;
}

function NavLink({ item, problems, onGo }: NavLinkProps) {
  const { path, label, icon, load } = item;
  const id = useId();
  // A page below it counts as the page itself.
  const [isHere] = useRoute(routeOf(item));
  const preload = () => void load().catch(() => {});
  return (
    <li className={styles.item}>
      <Link
        href={path}
        className={styles.link}
        aria-current={isHere ? 'page' : undefined}
        aria-describedby={problems && id}
        onClick={() => onGo?.()}
        onPointerEnter={preload}
        onFocus={preload}
      >
        <Icon name={icon} />
        {label}
      </Link>
      {/* Not in the link, whose name stays the same. */}
      {problems && (
        <span id={id} className={styles.count} data-urgent={problems.isUrgent || undefined}>
          {problems.count}
          <span className="visually-hidden"> open {problems.count === 1 ? 'problem' : 'problems'}</span>
        </span>
      )}
    </li>
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
        <small>
          signed in · {scope}
          {contents && ', some contents'}
        </small>
      </div>
      <ActionIcon aria-label="Sign out" title="Sign out" onClick={() => session.signOut()}>
        <Icon name="signOut" size={18} />
      </ActionIcon>
    </div>
  );
}
