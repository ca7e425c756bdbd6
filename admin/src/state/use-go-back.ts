import { useState } from 'react';

interface GoBack {
  /** Leaves the present history entry. Once, however often it is called until that is done. */
  goBack: () => void;
  /** Changes the address: at once, or after the way back. */
  afterBack: (change: () => void) => void;
}

/**
 * Going back in the history takes a moment, a longer one on a busy computer. A change of the address meanwhile would be lost with the entry
 * that is left, so it waits.
 */
export function useGoBack(): GoBack {
  const [way] = useState(createGoBack);
  return way;
}

function createGoBack(): GoBack {
  let going: Promise<void> | null = null;
  return {
    goBack() {
      if (going) return;
      going = new Promise<void>((resolve) => {
        // A turn later: then the page has been drawn with the address before.
        addEventListener('popstate', () => void setTimeout(resolve), { once: true });
      }).then(() => {
        going = null;
      });
      history.back();
    },
    afterBack(change) {
      if (going) void going.then(change);
      else change();
    },
  };
}
