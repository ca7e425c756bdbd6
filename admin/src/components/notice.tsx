import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

type NoticeKind = 'info' | 'good' | 'warning' | 'bad';

const looks: Record<NoticeKind, readonly [color: string, icon: IconName]> = {
  info: ['gray', 'info'],
  good: ['good', 'check'],
  warning: ['warn', 'warning'],
  bad: ['bad', 'warning'],
};

interface NoticeProps {
  kind?: NoticeKind;
  title?: ReactNode;
  children?: ReactNode;
  /** `alert` for the result of what was just done; `none` inside a live region, which announces it already. */
  role?: 'alert' | 'status' | 'note' | 'none';
}

/** A remark in a page or a dialog. Not announced by default: Mantine's own default is `alert`, which interrupts. */
export function Notice({ kind = 'info', title, children, role = 'note' }: NoticeProps) {
  const [color, icon] = looks[kind];
  return (
    <Alert color={color} icon={<Icon name={icon} size={18} />} title={title} role={role}>
      {children}
    </Alert>
  );
}
