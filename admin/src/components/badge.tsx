import type { ReactNode } from 'react';
import styles from './badge.module.css';

export type BadgeColor = 'good' | 'warn' | 'bad' | 'gray';

/** A short word on a coloured ground. Not Mantine's: a page has up to a hundred, and theirs take 10 ms of its time to appear. */
export function Badge({ color = 'gray', children }: { color?: BadgeColor; children: ReactNode }) {
  return (
    <span className={styles.badge} data-color={color}>
      <span className="cut">{children}</span>
    </span>
  );
}

const looks = {
  active: ['good', 'Active'],
  expiring: ['warn', 'Expires soon'],
  expired: ['gray', 'Expired'],
  revoked: ['bad', 'Revoked'],
  disabled: ['warn', 'Disabled'],
} as const satisfies Record<string, readonly [color: BadgeColor, word: string]>;

/** The state of an API key, a content or a lease. */
export function StatusBadge({ status }: { status: keyof typeof looks }) {
  const [color, word] = looks[status];
  return <Badge color={color}>{word}</Badge>;
}
