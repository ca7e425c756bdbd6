import { createStore, type Store } from './store.ts';

interface Toast {
  id: number;
  text: string;
}

export interface Toasts {
  /** What has just been done, newest last. */
  shown: Store<readonly Toast[]>;
  /** Says that something was done, to eyes and to screen readers. */
  announce(text: string): void;
}

/** Long enough to read a line twice. */
const shownMs = 5_000;

export function createToasts(): Toasts {
  const shown = createStore<readonly Toast[]>([]);
  let lastId = 0;
  return {
    shown,
    announce(text) {
      lastId += 1;
      const id = lastId;
      shown.set([...shown.get(), { id, text }]);
      setTimeout(() => shown.set(shown.get().filter((toast) => toast.id !== id)), shownMs);
    },
  };
}
