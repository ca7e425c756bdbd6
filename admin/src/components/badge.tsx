import type { ReactNode } from 'react';
import styles from './badge.module.css';

type BadgeColor = 'good' | 'warn' | 'bad' | 'gray';

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
  paused: ['gray', 'Paused'],
  pending: ['warn', 'Waiting'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
} as const satisfies Record<string, readonly [color: BadgeColor, word: string]>;
type Status = keyof typeof looks;

export const wordOfStatus = (status: Status): string => looks[status][1];

/** The state of an API key, a content, a lease, a webhook or one of its deliveries. */
export function StatusBadge({ status }: { status: Status }) {
  const [color, word] = looks[status];
  return <Badge color={color}>{word}</Badge>;
}
