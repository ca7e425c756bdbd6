import { type ComponentType, lazy, useState } from 'react';

/** A page that is a file of its own. */
export interface PagePart {
  /** Fetches it; also ahead of its being shown. */
  load: () => Promise<{ default: ComponentType }>;
  /** Shows it: at once where it has been fetched, else when it has. */
  Page: ComponentType;
}

/**
 * Like `lazy`, but what is there already is drawn in the same step: React shows what stands in for a lazy part even then, and
 * keeps it for 300 ms, so that it does not flicker.
 */
export function pagePart(fetchPart: PagePart['load']): PagePart {
  let fetched: ComponentType | null = null;
  const load: PagePart['load'] = async () => {
    const part = await fetchPart();
    fetched = part.default;
    return part;
  };
  const Awaited = lazy(load);
  return {
    load,
    Page: function Page() {
      // Chosen once: another choice would be another page, that begins anew.
      const [Part] = useState(() => fetched ?? Awaited);
      return <Part />;
    },
  };
}
