import { Button, Modal, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import styles from './dialog.module.css';
import { ErrorNotice } from './errors.tsx';

interface DialogProps {
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

/** On an element inside a dialog: the id of what had the focus before it. */
const originAttribute = 'data-focus-origin';

/**
 * Gives the focus back, once the component is gone, to what had it before. Where one dialog follows another, that is what
 * had it before the first.
 *
 * @returns the id of that element, for `originAttribute`
 */
function useFocusReturn(): string | undefined {
  const fallbackId = useId();
  const [origin] = useState(findOrigin);
  if (origin && origin.id === '') origin.id = fallbackId;
  useEffect(
    () => () => {
      // After this dialog has let go of the focus, and the next, if there is one, has come.
      requestAnimationFrame(() => {
        if (!document.querySelector(`[${originAttribute}]`) && origin?.isConnected) origin.focus();
      });
    },
    [origin],
  );
  return origin?.id;
}

function findOrigin(): HTMLElement | null {
  const before = document.querySelector(`[${originAttribute}]`)?.getAttribute(originAttribute);
  if (before) return document.getElementById(before);
  const element = document.activeElement;
  // What is in a menu goes with the menu: then it is the button that opened it.
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  if (button) return document.getElementById(button);
  return element instanceof HTMLElement ? element : null;
}

interface TypedConfirmationProps {
  title: string;
  /** What will happen. */
  children: ReactNode;
  /** Has to be typed before the button acts: short, and possible on any keyboard. */
  expected: string;
  /** Of the button: "Revoke the key". */
  action: string;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
}

/** Before what cannot be taken back. */
export function TypedConfirmation(props: TypedConfirmationProps) {
  const { title, children, expected, action, isBusy, error, onConfirm, onClose } = props;
  const [typed, setTyped] = useState('');
  const isSame = typed.trim() === expected;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSame && !isBusy) onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form onSubmit={submit}>
        <TextInput
          label={
            <>
              Type <code>{expected}</code> to confirm
            </>
          }
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
        <ErrorNotice error={error} />
        <DialogActions>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="bad" disabled={!isSame} loading={isBusy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
