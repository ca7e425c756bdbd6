import type { IssuedApiKey } from '../../api/resources.ts';
import { Dialog } from '../../components/dialog.tsx';
import { toFileName } from '../../components/download-text.ts';
import { Notice } from '../../components/notice.tsx';
import { RawKeyPanel } from '../../components/raw-key-panel.tsx';

export interface IssuedDialogProps {
  issued: IssuedApiKey;
  note: string | null;
  onClose: () => void;
}

/** Shows a new key, this once: it closes only when the key is said to be stored. */
export function IssuedDialog({ issued, note, onClose }: IssuedDialogProps) {
  const { name } = issued.api_key;
  return (
    <Dialog title="Store your new key" onClose={onClose} isClosable={false} width="36rem">
      <p>
        The key of <bdi>{name}</bdi> is shown this once. The server keeps a hash of it and cannot show it
        again.
      </p>
      {note && <Notice>{note}</Notice>}
      <RawKeyPanel
        rawKey={issued.raw_key}
        fileName={`latchkey-${toFileName(name)}`}
        action="Done"
        onStored={onClose}
      />
    </Dialog>
  );
}
