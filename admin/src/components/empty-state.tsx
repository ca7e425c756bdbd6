import { Button, EmptyState as MantineEmptyState } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  /** What to do about it. */
  children?: ReactNode;
  action?: ReactNode;
}

/** Shown where there is no data: why, and what to do. */
export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <MantineEmptyState
      size="sm"
      px="1.25rem"
      py="3.5rem"
      icon={<Icon name={icon} />}
      title={title}
      description={children}
    >
      {action && <MantineEmptyState.Actions mt="0.5rem">{action}</MantineEmptyState.Actions>}
    </MantineEmptyState>
  );
}

interface NoMatchesProps {
  title: string;
  onReset: () => void;
  /** What the filters match. */
  children: ReactNode;
}

/** Shown in place of rows if the filters match nothing. */
export function NoMatches({ title, onReset, children }: NoMatchesProps) {
  const reset = (
    <Button variant="default" onClick={onReset}>
      Clear the filters
    </Button>
  );
  return (
    <EmptyState icon="search" title={title} action={reset}>
      {children}
    </EmptyState>
  );
}
