import type { ReactNode } from 'react';
import { Logo } from '../components/logo.tsx';
import styles from './entrance.module.css';
import { ThemeSwitch } from './theme-switch.tsx';

/** What stands before the pages: the wizard and signing in. */
export function Entrance({ children, isWide = false }: { children: ReactNode; isWide?: boolean }) {
  return (
    <div className={styles.entrance}>
      <header className={styles.head}>
        <Logo />
        <ThemeSwitch />
      </header>
      <main className={styles.main} data-wide={isWide || undefined}>
        {children}
      </main>
    </div>
  );
}
