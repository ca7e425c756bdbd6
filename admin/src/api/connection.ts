import { createStore, type Store } from '../state/store.ts';

/** Whether the server answers. */
type Contact = 'there' | 'lost';

export interface Connection {
  state: Store<Contact>;
  /** An attempt has reached the server, or has not. */
  report(reached: boolean): void;
}

interface ConnectionOptions {
  /** Rejects while the server does not answer. */
  ping: () => Promise<unknown>;
  /** What was asked in vain can be asked again. */
  onBack: () => void;
  after?: (ms: number, act: () => void) => void;
}

/** Quick enough that a restart is hardly noticed, rare enough for a server that is busy starting. */
const retryMs = 1_500;

/** Knows whether the server is there, and while it is not, asks until it is. */
export function createConnection({ ping, onBack, after = wait }: ConnectionOptions): Connection {
  const state = createStore<Contact>('there');
  const back = () => {
    if (state.get() === 'there') return;
    state.set('there');
    onBack();
  };
  const ask = (): void =>
    after(retryMs, () => {
      if (state.get() === 'lost') ping().then(back, ask);
    });
  return {
    state,
    report(reached) {
      if (reached) return back();
      if (state.get() === 'lost') return;
      state.set('lost');
      ask();
    },
  };
}

function wait(ms: number, act: () => void): void {
  setTimeout(act, ms);
}
