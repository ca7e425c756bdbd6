import { Dialog } from '../../components/dialog.tsx';
import { toFileName } from '../../components/download-text.ts';
import { Notice } from '../../components/notice.tsx';
import { RawKeyPanel } from '../../components/raw-key-panel.tsx';
import { type ShownKey, useApp } from '../../session/app-context.ts';
import { useStore } from '../../state/store.ts';

/** The new key, if there is one. It is outside of the pages, so the back button does not remove it. */
export function IssuedKey() {
  const { issuedKey } = useApp();
  const shown = useStore(issuedKey);
  return shown && <IssuedDialog {...shown} onClose={() => issuedKey.set(null)} />;
}

/** Shows a new key once. It closes only after the admin confirms that the key is stored. */
function IssuedDialog({ issued, note, onClose }: ShownKey & { onClose: () => void }) {
  const { name } = issued.api_key;
  return (
    <Dialog title="Store your new key" onClose={onClose} isClosable={false} width="36rem">
      <p>
        The key <bdi>{name}</bdi> is shown only now. The server stores a hash of it and cannot show it again.
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
