import { Button, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, DialogActions } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

export interface TypedConfirmationProps {
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
