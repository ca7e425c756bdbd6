/**
 * Reports when the page is left, for good or into the back-forward cache, and when it comes back from there.
 *
 * @returns ends the hearing
 */
export function watchPage({ onHide, onReturn }: { onHide: () => void; onReturn: () => void }): () => void {
  const listening = new AbortController();
  const { signal } = listening;
  globalThis.addEventListener?.('pagehide', onHide, { signal });
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted) onReturn();
  };
  globalThis.addEventListener?.('pageshow', show as EventListener, { signal });
  return () => listening.abort();
}
