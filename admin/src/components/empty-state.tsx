import { Button, EmptyState as MantineEmptyState } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  /** Advice on how to proceed. */
  children?: ReactNode;
  action?: ReactNode;
}

/** Shown if there is no data: the reason, and what to do. */
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
  /** A sentence about the values that the filters match. */
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
