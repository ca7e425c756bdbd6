import type { Act } from './act.ts';
import { CreateDialog } from './create-dialog.tsx';
import { DisableDialog } from './disable-dialog.tsx';
import { EditDialog } from './edit-dialog.tsx';

/** The dialog of an act. */
export function ActDialog({ act, onClose }: { act: Act; onClose: () => void }) {
  switch (act.kind) {
    case 'create':
      return <CreateDialog onClose={onClose} />;
    case 'edit':
      return <EditDialog content={act.content} onClose={onClose} />;
    case 'disable':
      return <DisableDialog content={act.content} onClose={onClose} />;
  }
}
