import { useCallback, useRef } from 'react';

/**
 * Going back in the history takes a moment, a longer one on a busy computer. A change of the address meanwhile would be lost with the entry
 * that is left, so it waits.
 */
export function useGoBack() {
  const going = useRef<Promise<void> | null>(null);
  /** Leaves the present history entry. Once, however often it is called until that is done. */
  const goBack = useCallback(() => {
    if (going.current) return;
    going.current = new Promise<void>((resolve) => {
      // A turn later: then the page has been drawn with the address before.
      addEventListener('popstate', () => void setTimeout(resolve), { once: true });
    }).then(() => {
      going.current = null;
    });
    history.back();
  }, []);
  /** Changes the address: at once, or after the way back. */
  const afterBack = useCallback((change: () => void) => {
    if (going.current) void going.current.then(change);
    else change();
  }, []);
  return { goBack, afterBack };
}
