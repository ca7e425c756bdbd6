import type { Act, Begin } from './act.ts';
import { CreateDialog } from './create-dialog.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

/** The dialog of an act; one may lead to another. */
export function ActDialog({ act, begin, onClose }: { act: Act; begin: Begin; onClose: () => void }) {
  switch (act.kind) {
    case 'create':
      return <CreateDialog onClose={onClose} />;
    case 'details':
      return <DetailsDialog apiKey={act.apiKey} begin={begin} onClose={onClose} />;
    case 'rotate':
      return <RotateDialog apiKey={act.apiKey} onClose={onClose} />;
    case 'revoke':
      return <RevokeDialog apiKey={act.apiKey} onClose={onClose} />;
  }
}
