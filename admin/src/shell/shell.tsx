import { ActionIcon, Box, Button, Drawer, Flex } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useId, useState } from 'react';
import { Link, useRoute } from 'wouter';
import { Badge } from '../components/badge.tsx';
import { Icon } from '../components/icon.tsx';
import { withoutDirection } from '../components/mark-direction.ts';
import { OutsideText } from '../components/outside-text.tsx';
import { countProblems, type Problems } from '../pages/overview/concerns.ts';
import { paletteKeys, useShortcuts } from '../palette/use-shortcuts.ts';
import { useApi, useApp, useCurrentApiKey } from '../session/app-context.ts';
import { may } from '../session/permissions.ts';
import { readingProblems } from '../state/reading-problems.ts';
import { Logo } from './entrance.tsx';
import { type NavItem, navItemsFor, routeOf } from './nav-items.tsx';
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
  const [OpenDialog, setDialog] = useState<ComponentType<{ onClose: () => void }> | null>(null);
  const apiKey = useCurrentApiKey();
  const pages = navItemsFor(apiKey);
  const openPalette = () => void loadPalette().then(({ Palette }) => setDialog(() => Palette), ignore);
  const openHelp = () =>
    void loadHelp().then(({ ShortcutsDialog }) => setDialog(() => ShortcutsDialog), ignore);
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
        <Button
          variant="default"
          c="dimmed"
          fw={400}
          mih="2.25rem"
          mb="-0.75rem"
          px="0.625rem"
          styles={{ label: { flex: 1 } }}
          leftSection={<Icon name="search" size={17} />}
          rightSection={<kbd>{paletteKeys}</kbd>}
          aria-haspopup="dialog"
          onClick={openPalette}
        >
          Go to…
        </Button>
        <Navigation />
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
      </Drawer>
      <PageArea />
      {OpenDialog && <OpenDialog onClose={() => setDialog(null)} />}
    </div>
  );
}

/** Links to the pages that the signed-in key can see, in groups. Below them the theme, and the key itself. */
function Navigation({ onGo }: { onGo?: () => void }) {
  const api = useApi();
  const apiKey = useCurrentApiKey();
  const items = Map.groupBy(navItemsFor(apiKey), ({ group }) => group);
  const isAllowed = may(apiKey, 'whole-server');
  const { data, isError } = useQuery({ ...readingProblems(api), enabled: isAllowed });
  const problems = data && isAllowed && !isError ? countProblems(data.statistics) : undefined;
  return (
    <>
      <Flex component="nav" aria-label="Pages" direction="column" gap="1rem">
        {[...items].map(([group, own]) => (
          <div key={group}>
            <p aria-hidden="true" className={styles.group}>
              {group}
            </p>
            <Flex component="ul" aria-label={group} direction="column" gap="2px">
              {own.map((item) => (
                <NavLink key={item.path} item={item} problems={problems?.get(item.path)} onGo={onGo} />
              ))}
            </Flex>
          </div>
        ))}
      </Flex>
      <Flex direction="column" gap="0.875rem" align="flex-start" mt="auto">
        <ThemeSwitch />
        <AccountBox />
      </Flex>
    </>
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
    <Box component="li" pos="relative">
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
        <span id={id} className={styles.count}>
          <Badge color={problems.isUrgent ? 'bad' : 'warn'}>
            {problems.count}
            <span className="visually-hidden"> open {problems.count === 1 ? 'problem' : 'problems'}</span>
          </Badge>
        </span>
      )}
    </Box>
  );
}

/** The signed-in key, and the sign-out button. */
function AccountBox() {
  const { session } = useApp();
  const { name, scope, contents } = useCurrentApiKey();
  return (
    <Flex align="center" gap="0.5rem" w="100%" p="0.75rem 0 0 0.375rem" className={styles.account}>
      <Flex direction="column" flex={1} miw={0} lh={1.35}>
        <OutsideText className={`cut ${styles.name}`} title={withoutDirection(name)} text={name} />
        <small>
          signed in · {scope}
          {contents && ', some contents'}
        </small>
      </Flex>
      <ActionIcon aria-label="Sign out" title="Sign out" onClick={() => session.signOut()}>
        <Icon name="signOut" size={18} />
      </ActionIcon>
    </Flex>
  );
}
