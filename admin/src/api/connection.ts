import { createStore } from '../state/store.ts';

interface ConnectionOptions {
  /** Rejects while the server does not answer. */
  ping: () => Promise<unknown>;
  /** Called when the server is back: failed reads can be repeated. */
  onBack: () => void;
}

/** Short enough that a restart is hardly noticed, and not a burden for a server that is starting. */
const retryMs = 1_500;

/** Tracks whether the server answers. After a loss it probes the server until it answers again. */
export function createConnection({ ping, onBack }: ConnectionOptions) {
  const state = createStore<'there' | 'lost'>('there');
  const back = () => {
    if (state.get() === 'there') return;
    state.set('there');
    onBack();
  };
  const probe = () => {
    if (state.get() === 'lost') ping().then(back, probeLater);
  };
  const probeLater = () => void setTimeout(probe, retryMs);
  return {
    state,
    /** Takes the result of an attempt to reach the server. */
    report(reached: boolean): void {
      if (reached) back();
      else if (state.get() === 'there') {
        state.set('lost');
        probeLater();
      }
    },
  };
}
