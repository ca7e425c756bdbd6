import type { Content } from '../../api/resources.ts';
import { DisableDialog } from './disable-dialog.tsx';
import { CreateDialog, EditDialog } from './form-dialogs.tsx';

/** The dialog that is open. */
export type Act = { kind: 'create' } | { kind: 'edit' | 'disable'; content: Content };

export type BeginAct = (act: Act) => void;

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
