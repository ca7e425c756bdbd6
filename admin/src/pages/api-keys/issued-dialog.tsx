import { Dialog } from '../../components/dialog.tsx';
import { toFileName } from '../../components/download-text.ts';
import { Notice } from '../../components/notice.tsx';
import { RawKeyPanel } from '../../components/raw-key-panel.tsx';
import { type ShownKey, useApp } from '../../session/app-context.ts';
import { useStore } from '../../state/store.ts';

/** The key that was just made, if there is one. Outside of the pages: the button back leads away from them, not from it. */
export function IssuedKey() {
  const { issuedKey } = useApp();
  const shown = useStore(issuedKey);
  return shown && <IssuedDialog {...shown} onClose={() => issuedKey.set(null)} />;
}

/** Shows a new key, this once: it closes only when the key is said to be stored. */
function IssuedDialog({ issued, note, onClose }: ShownKey & { onClose: () => void }) {
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
