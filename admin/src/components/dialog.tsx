import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import styles from './dialog.module.css';
import { originAttribute, useFocusReturn } from './use-focus-return.ts';

export interface DialogProps {
  title: string;
  onClose: () => void;
  /** Whether Esc, the cross and a click beside it close it. */
  isClosable?: boolean;
  /** CSS length. */
  width?: string;
  children: ReactNode;
}

/** A dialog that is open for as long as it is rendered. The focus stays in it, and goes back to where it was. */
export function Dialog({ title, onClose, isClosable = true, width = '30rem', children }: DialogProps) {
  const originId = useFocusReturn();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={width}
      withCloseButton={isClosable}
      closeOnEscape={isClosable}
      closeOnClickOutside={false}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      classNames={{ title: styles.title ?? '', header: styles.header ?? '', body: styles.body ?? '' }}
    >
      {children}
      <span hidden {...{ [originAttribute]: originId }} />
    </Modal>
  );
}

/** The buttons of a dialog, the one that acts last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
