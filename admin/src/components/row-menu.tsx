import { Menu } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Column } from './data-table.tsx';
import { Icon, type IconName } from './icon.tsx';
import { withoutDirection } from './mark-direction.ts';
import styles from './row-menu.module.css';

/** The last column of a table: a menu for each row. */
export function actionsColumn<Row>(cell: Column<Row>['cell']): Column<Row> {
  return { header: 'Actions', isHeaderHidden: true, width: '3.75rem', cell };
}

interface RowMenuProps {
  /** Name of the row, for screen readers. */
  name: string;
  /** CSS length. */
  width: string;
  children: ReactNode;
}

/** A button that opens a menu. The menu is made with its first use: fifty of them took most of the time in which a page of rows appears. */
export function RowMenu({ name, width, children }: RowMenuProps) {
  const [isUsed, setUsed] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isUsed) return;
    // The button is a new element now. Closing the menu returns the focus to it.
    button.current?.focus();
    setOpen(true);
  }, [isUsed]);
  const label = `Actions for ${withoutDirection(name)}`;
  if (!isUsed)
    return (
      <button
        type="button"
        className={styles.trigger}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={false}
        onClick={() => setUsed(true)}
        onKeyDown={({ key }) => key === 'ArrowDown' && setUsed(true)}
      >
        <Icon name="more" />
      </button>
    );
  return (
    <Menu position="bottom-end" width={width} opened={isOpen} onChange={setOpen}>
      <Menu.Target>
        <button type="button" ref={button} className={styles.trigger} aria-label={label}>
          <Icon name="more" />
        </button>
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
