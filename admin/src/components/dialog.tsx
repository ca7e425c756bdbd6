import { Button, Flex, Modal, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import type { ServerAction } from '../state/use-server-action.ts';
import styles from './dialog.module.css';
import { ErrorNotice } from './errors.tsx';
import type { ServerForm } from './use-server-form.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  /** Whether Esc and the close button close it. */
  isClosable?: boolean;
  /** CSS length. */
  width?: string;
  children: ReactNode;
}

/** A dialog that is open while it is rendered. It keeps the focus, and returns it at the end. */
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
      classNames={{ body: styles.body ?? '' }}
      styles={{
        header: { padding: '1.25rem 1.25rem 0.75rem 1.5rem' },
        body: { padding: '0.25rem 1.5rem 1.5rem' },
      }}
    >
      {children}
      <span hidden {...{ [originAttribute]: originId }} />
    </Modal>
  );
}

interface DialogActionsProps {
  /** Adds a button in front that closes the dialog. */
  onCancel?: () => void;
  /** Whether Cancel gets the focus first: Enter must not start an action that takes access away. */
  isCancelFirst?: boolean;
  children: ReactNode;
}

/** The buttons of a dialog. The button that acts comes last. */
export function DialogActions({ onCancel, isCancelFirst = false, children }: DialogActionsProps) {
  return (
    <Flex wrap="wrap" justify="flex-end" gap="0.625rem" mt="0.375rem">
      {onCancel && (
        <Button variant="default" onClick={onCancel} data-autofocus={isCancelFirst || undefined}>
          Cancel
        </Button>
      )}
      {children}
    </Flex>
  );
}

/** Attribute of an element in a dialog: the id of the element that had the focus before. */
const originAttribute = 'data-focus-origin';

/**
 * Returns the focus, on unmount, to the element that had it before. If one dialog follows another, that is the element before
 * the first dialog.
 *
 * @returns the id of that element, for `originAttribute`
 */
function useFocusReturn(): string | undefined {
  const fallbackId = useId();
  const [origin] = useState(findOrigin);
  if (origin && origin.id === '') origin.id = fallbackId;
  useEffect(
    () => () => {
      // One frame later this dialog has released the focus, and a following dialog is mounted.
      requestAnimationFrame(() => {
        if (document.querySelector(`[${originAttribute}]`) || !origin?.isConnected) return;
        // A user who has gone on to a field meanwhile stays there.
        if (document.activeElement === document.body) origin.focus();
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
  // A menu item is unmounted with its menu. The button that opened the menu remains.
  const button = element?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  if (button) return document.getElementById(button);
  return element instanceof HTMLElement ? element : null;
}

interface ActionDialogProps extends DialogProps {
  /** Label of the button that acts. */
  action: string;
  act: ServerAction<unknown>;
  isHarmful?: boolean;
  /** As of `DialogActions`. */
  isCancelFirst?: boolean;
}

/** Explains an action, starts it, and shows why it failed. */
export function ActionDialog(props: ActionDialogProps) {
  const { action, act, isHarmful = false, isCancelFirst = false, children, ...dialog } = props;
  return (
    <Dialog {...dialog}>
      {children}
      <ErrorNotice error={act.error} />
      <DialogActions onCancel={dialog.onClose} isCancelFirst={isCancelFirst}>
        <Button
          {...(isHarmful && { color: 'bad' })}
          onClick={() => act.mutate()}
          loading={act.isPending}
          data-autofocus={!isCancelFirst || undefined}
        >
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface FormDialogProps extends DialogProps {
  /** Label of the button that sends the form. */
  action: string;
  form: Pick<ServerForm<unknown>, 'errors' | 'isPending' | 'submit'>;
}

export function FormDialog({ action, form, children, ...dialog }: FormDialogProps) {
  return (
    <Dialog {...dialog}>
      <form onSubmit={form.submit} noValidate>
        {children}
        {form.errors.notice}
        <DialogActions onCancel={dialog.onClose}>
          <Button type="submit" loading={form.isPending}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface TypedConfirmationProps extends Pick<DialogProps, 'title' | 'width' | 'onClose'> {
  /** Describes the consequences. */
  children: ReactNode;
  /** Further fields of the form. The first of them can take the focus. */
  fields?: ReactNode;
  /** Must be typed to enable the button. Short, and possible on any keyboard. Null for no text; undefined until known. */
  expected: string | null | undefined;
  /** Label of the button: "Revoke the key". */
  action: string;
  act: Pick<ServerAction<unknown>, 'error' | 'isPending'>;
  onConfirm: (event: FormEvent<HTMLFormElement>) => void;
}

/** Asks for confirmation before an action that cannot be undone. */
export function TypedConfirmation(props: TypedConfirmationProps) {
  const { children, fields, expected, action, act, onConfirm, ...dialog } = props;
  const [typed, setTyped] = useState('');
  const isReady = expected === null || typed.trim() === expected;
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isReady && !act.isPending) onConfirm(event);
  };
  return (
    <Dialog {...dialog}>
      {children}
      <form onSubmit={submit}>
        {fields}
        {expected && (
          <TextInput
            label={
              <>
                Type <code>{expected}</code> to confirm
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            // It is compared, and not sent.
            data-takes="credential"
            data-autofocus
          />
        )}
        <ErrorNotice error={act.error} />
        <DialogActions onCancel={dialog.onClose} isCancelFirst={!expected && !fields}>
          <Button type="submit" color="bad" disabled={!isReady} loading={act.isPending}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
