import type { Content } from '../../api/resources.ts';
import { DisableDialog } from './disable-dialog.tsx';
import { CreateDialog, EditDialog } from './form-dialogs.tsx';

/** The open dialog. */
export type OpenDialog = { kind: 'create' } | { kind: 'edit' | 'disable'; content: Content };

export type ShowDialog = (dialog: OpenDialog) => void;

/** Renders the open dialog. */
export function CurrentDialog({ dialog, onClose }: { dialog: OpenDialog; onClose: () => void }) {
  switch (dialog.kind) {
    case 'create':
      return <CreateDialog onClose={onClose} />;
    case 'edit':
      return <EditDialog content={dialog.content} onClose={onClose} />;
    case 'disable':
      return <DisableDialog content={dialog.content} onClose={onClose} />;
  }
}
