import { ActionIcon, Drawer } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../components/icon.tsx';
import { Logo } from '../components/logo.tsx';
import { AccountBox } from './account-box.tsx';
import { Navigation } from './navigation.tsx';
import { PageArea } from './page-area.tsx';
import styles from './shell.module.css';
import { ThemeSwitch } from './theme-switch.tsx';
import { useSearchShortcut } from './use-search-shortcut.ts';

/** The frame around every page: navigation at the side, or in a drawer where there is no room. */
export function Shell() {
  const [isOpen, setOpen] = useState(false);
  useSearchShortcut();
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the page
      </a>
      <section className={styles.bar} aria-label="Dashboard">
        <Logo />
        <ActionIcon
          variant="subtle"
          color="gray"
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
