import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { Icon } from './icon.tsx';
import styles from './section.module.css';

interface SectionProps {
  title: ReactNode;
  /** Links and buttons in the line of the title. The last one is on the right. */
  aside?: ReactNode;
  children: ReactNode;
}

/** A part of a page with its own heading. */
export function Section({ title, aside, children }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** From the page of one thing to the list of all. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Link href={href} className={styles.back}>
      <Icon name="left" size={16} />
      {children}
    </Link>
  );
}
