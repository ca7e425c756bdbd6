import { type ReactNode, useEffect, useRef } from 'react';
import styles from './setup.module.css';

/** One step of the wizard; its heading takes the focus, so that a screen reader goes along. */
export function StepFrame({
  title,
  lead,
  children,
}: {
  title: string;
  lead: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Latchkey`;
    heading.current?.focus();
  }, [title]);
  return (
    <section className={styles.frame}>
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p className={styles.lead}>{lead}</p>
      </div>
      {children}
    </section>
  );
}
