/** Where a tab remembers the lease that it gave back last, by its id, or by its name where the id had not arrived. */
export interface ReleasedLease {
  get(): string | undefined;
  set(lease: string): void;
}

const storageKey = 'latchkey.released-lease';

/**
 * In the tab's `sessionStorage`: a page that is reloaded may ask for its lease before the release of the old one has
 * arrived, and where a viewer has only one lease it would be refused for its own. Without the name of a lease that was on its way
 * that would last until the lease expires. A storage that is not there, or closed,
 * remembers nothing.
 */
export function tabStorage(): ReleasedLease {
  return {
    get: () => attempt(() => sessionStorage.getItem(storageKey)) ?? undefined,
    set: (lease) => void attempt(() => sessionStorage.setItem(storageKey, lease)),
  };
}

function attempt<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
