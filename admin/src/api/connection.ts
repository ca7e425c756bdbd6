import { createStore, type Store } from '../state/store.ts';

/** Whether the server answers. */
type Contact = 'there' | 'lost';

export interface Connection {
  state: Store<Contact>;
  /** Takes the result of an attempt to reach the server. */
  report(reached: boolean): void;
}

interface ConnectionOptions {
  /** Rejects while the server does not answer. */
  ping: () => Promise<unknown>;
  /** Called when the server is back: failed reads can be repeated. */
  onBack: () => void;
  after?: (ms: number, act: () => void) => void;
}

/** Short enough that a restart is hardly noticed, and not a burden for a server that is starting. */
const retryMs = 1_500;

/** Tracks whether the server answers. After a loss it probes the server until it answers again. */
export function createConnection(options: ConnectionOptions): Connection {
  const { ping, onBack, after = (ms, act) => void setTimeout(act, ms) } = options;
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
