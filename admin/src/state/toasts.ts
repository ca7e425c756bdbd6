import { createStore, type Store } from './store.ts';

interface Toast {
  id: number;
  text: string;
}

export interface Toasts {
  /** Messages about what was just done, newest last. */
  shown: Store<readonly Toast[]>;
  /** Shows a message, and announces it to screen readers. */
  announce(text: string): void;
}

/** Time to read a line twice. */
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
