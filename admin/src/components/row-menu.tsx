import { ActionIcon, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from './data-table.tsx';
import { Icon, type IconName } from './icon.tsx';
import { withoutDirection } from './mark-direction.ts';

/** The last column of a table: a menu for each row. */
export function actionsColumn<Row>(cell: Column<Row>['cell']): Column<Row> {
  return { id: 'acts', header: 'Actions', isHeaderHidden: true, width: '3.75rem', cell };
}

interface RowMenuProps {
  /** Name of the row, for screen readers. */
  name: string;
  /** CSS length. */
  width: string;
  children: ReactNode;
}

export function RowMenu({ name, width, children }: RowMenuProps) {
  return (
    <Menu position="bottom-end" width={width}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${withoutDirection(name)}`}>
          <Icon name="more" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

interface RowActionProps {
  icon: IconName;
  /** Whether it takes access away. */
  isHarmful?: boolean;
  onClick: () => void;
  children: ReactNode;
}

export function RowAction({ icon, isHarmful = false, onClick, children }: RowActionProps) {
  return (
    <Menu.Item
      leftSection={<Icon name={icon} size={17} />}
      onClick={onClick}
      {...(isHarmful ? { color: 'bad' } : {})}
    >
      {children}
    </Menu.Item>
  );
}
