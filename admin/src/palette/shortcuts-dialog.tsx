import type { ReactNode } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { FactList } from '../components/fact-list.tsx';
import { useCurrentApiKey } from '../session/app-context.ts';
import { navItemsFor } from '../shell/nav-items.tsx';
import { paletteKeys } from './use-shortcuts.ts';

/** The keys of the dashboard. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const pages = navItemsFor(useCurrentApiKey()).map(({ label, shortcut }): [string, ReactNode] => [
    label,
    <Keys key={label} keys={['g', shortcut]} />,
  ]);
  return (
    <Dialog title="Keys" onClose={onClose}>
      <FactList
        facts={{
          'Find anything': <Keys keys={[paletteKeys]} />,
          'Search on this page': <Keys keys={['/']} />,
          'Clear a search, close a dialog': <Keys keys={['Esc']} />,
          ...Object.fromEntries(pages),
          'This list': <Keys keys={['?']} />,
        }}
      />
    </Dialog>
  );
}

function Keys({ keys }: { keys: readonly string[] }) {
  return keys.map((key) => <kbd key={key}>{key}</kbd>);
}
