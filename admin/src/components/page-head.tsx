import { Skeleton } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page-head.module.css';

interface PageHeadProps {
  title: string;
  /** What the page is for, in a sentence. */
  lead?: ReactNode;
  /** Buttons at the right. */
  actions?: ReactNode;
}

/** The heading of a page. It names the document, and takes the focus, so that a screen reader says where it is. */
export function PageHead({ title, lead, actions }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Latchkey`;
    // Not where somebody is writing already.
    if (!document.activeElement?.matches('input, textarea, select')) heading.current?.focus();
  }, [title]);
  return (
    <div className={styles.head}>
      <div className={styles.words}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p className={styles.lead}>{lead}</p>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/** Where a page is about to be: its heading, and some of it. */
export function PageSkeleton() {
  return (
    <div aria-busy="true">
      <Skeleton width="11rem" height="1.875rem" />
      <div style={{ height: '2rem' }} />
      <Skeleton width="100%" height="22rem" />
      <span className="visually-hidden">Loading…</span>
    </div>
  );
}
