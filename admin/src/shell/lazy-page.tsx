import { type ComponentType, lazy, useState } from 'react';

/** A page in a script file of its own. */
export interface LazyPage {
  /** Loads it. Can be called before it is shown. */
  load: () => Promise<{ default: ComponentType }>;
  /** Shows it, at once if it is loaded. */
  Page: ComponentType;
}

/** Like `lazy`, but draws a loaded page at once. React's `lazy` would show the fallback even then, for 300 ms against flicker. */
export function lazyPage(fetchPart: LazyPage['load']): LazyPage {
  let fetched: ComponentType | null = null;
  const load: LazyPage['load'] = async () => {
    const part = await fetchPart();
    fetched = part.default;
    return part;
  };
  const Awaited = lazy(load);
  return {
    load,
    Page: function Page() {
      // Chosen once: another component here would remount the page and lose its state.
      const [Part] = useState(() => fetched ?? Awaited);
      return <Part />;
    },
  };
}
