import { createStore } from './store.ts';

/** Time to read a line twice. */
const shownMs = 5_000;

/** Messages about what was just done. */
export function createToasts() {
  const shown = createStore<readonly { id: number; text: string }[]>([]);
  let lastId = 0;
  return {
    /** Newest last. */
    shown,
    /** Shows a message, and announces it to screen readers. */
    announce(text: string): void {
      lastId += 1;
      const toast = { id: lastId, text };
      shown.set([...shown.get(), toast]);
      setTimeout(() => shown.set(shown.get().filter((each) => each !== toast)), shownMs);
    },
  };
}
