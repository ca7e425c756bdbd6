import { Flex } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './entrance.module.css';
import { ThemeSwitch } from './theme.tsx';

/** The frame of the setup wizard and of the sign-in page. */
export function Entrance({ children, isWide = false }: { children: ReactNode; isWide?: boolean }) {
  return (
    <div className={styles.entrance}>
      <Flex component="header" align="center" justify="space-between" p="1.25rem 1.5rem">
        <Logo />
        <ThemeSwitch />
      </Flex>
      <main className={styles.main} data-wide={isWide || undefined}>
        {children}
      </main>
    </div>
  );
}

/** Shown until the answer of the server decides between the pages. That is usually too short to be seen. */
export function StartScreen() {
  return (
    <div className={styles.entrance} aria-busy="true">
      <div className={styles.waiting}>
        <Logo />
        <span className="visually-hidden">Connecting to the server…</span>
      </div>
    </div>
  );
}

/** The mark and the name. */
export function Logo() {
  return (
    <span className={styles.logo}>
      <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
        <rect width="32" height="32" rx="8" fill="var(--accent)" />
        <g fill="none" stroke="#fff" strokeLinecap="round" strokeLinejoin="round" strokeWidth="2.6">
          <circle cx="12.5" cy="12.5" r="5" />
          <path d="m16.2 16.2 7.3 7.3M20.6 20.6l2.4-2.4" />
        </g>
      </svg>
      Latchkey
    </span>
  );
}
