import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';
import styles from './notice.module.css';

type NoticeKind = 'info' | 'good' | 'warning' | 'bad';

const icons: Record<NoticeKind, IconName> = {
  info: 'info',
  good: 'check',
  warning: 'warning',
  bad: 'warning',
};

/** A remark in the flow of a page or a dialog. @param role `alert` where it answers what was just done */
export function Notice({
  kind = 'info',
  title,
  children,
  role,
}: {
  kind?: NoticeKind;
  title?: ReactNode;
  children?: ReactNode;
  role?: 'alert' | 'status';
}) {
  return (
    <div className={styles.notice} data-kind={kind} role={role}>
      <Icon name={icons[kind]} size={18} />
      <div className={styles.words}>
        {title && <p className={styles.title}>{title}</p>}
        {children && <div>{children}</div>}
      </div>
    </div>
  );
}
