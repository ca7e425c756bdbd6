import { Dialog } from '../components/dialog.tsx';
import { FactList, type Facts } from '../components/fact-list.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { navItemsFor } from '../shell/nav-items.tsx';
import { paletteKeys } from './use-shortcuts.ts';

/** The keys of the dashboard. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const pages: Facts = Object.fromEntries(
    navItemsFor(useCurrentApiKey()).map(({ label, shortcut }) => [
      label,
      <>
        <kbd>g</kbd>
        <kbd>{shortcut}</kbd>
      </>,
    ]),
  );
  return (
    <Dialog title="Keys" onClose={onClose}>
      <FactList
        facts={{
          'Find anything': <kbd>{paletteKeys}</kbd>,
          'Search on this page': <kbd>/</kbd>,
          'Clear a search, close a dialog': <kbd>Esc</kbd>,
          ...pages,
          'This list': <kbd>?</kbd>,
        }}
      />
    </Dialog>
  );
}
