import { ApiError, UnreachableError } from '../api/api-error.ts';
import { askAgainAfterMs } from '../api/rate-limit.ts';
import type { CurrentApiKey } from '../api/resources.ts';
import { createStore, type Store } from '../state/store.ts';

type SessionState =
  /** A key was found in sessionStorage and is being asked who it is. */
  | { status: 'restoring' }
  /** @property reason why, where it was not the admin's own wish */
  | { status: 'signed-out'; reason: string | null }
  | { status: 'signed-in'; apiKey: CurrentApiKey };

export interface Session {
  state: Store<SessionState>;
  /** For `Authorization: Bearer`. Only in memory, and in sessionStorage where the admin ticked it. */
  credential(): string | null;
  /** @throws ApiError, UnreachableError: what the server said to the key */
  signIn(credential: string, remember: boolean): Promise<void>;
  /** Goes on with the key that takes the place of this one. */
  continueWith(credential: string, apiKey: CurrentApiKey): void;
  /**
   * Goes on with the key that an act brings in the place of this one. This one may end before that answer is here: that it
   * is refused meanwhile ends the session only where no other comes.
   */
  replace<Replaced extends Replacement>(act: () => Promise<Replaced>): Promise<Replaced>;
  /** The server has refused this key. */
  refuse(credential: string): void;
  signOut(reason?: string): void;
  /** Asks again about the key that was found, where nothing answered. */
  resume(): void;
}

/** A key as it is issued. */
interface Replacement {
  raw_key: string;
  api_key: CurrentApiKey;
}

interface SessionOptions {
  /** sessionStorage; null where the browser allows none. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
  readCurrent: (credential: string) => Promise<CurrentApiKey>;
  after?: (ms: number, act: () => void) => void;
  /** Before another key's view of the server may be shown. */
  onChange: () => void;
}

export const storageKey = 'latchkey-api-key';
export const refusedReason =
  'Your key is no longer accepted: it was revoked or has expired. Sign in with another one.';
const unsureReason = 'The server could not say whether your key is good. Reload the page to ask again.';

/** Who is signed in, and with which key. */
export function createSession({
  storage,
  readCurrent,
  onChange,
  after = (ms, act) => void setTimeout(act, ms),
}: SessionOptions): Session {
  const kept = storage?.getItem(storageKey) ?? null;
  let held: string | null = null;
  let replacements = 0;
  let refused: string | null = null;
  const state = createStore<SessionState>(
    kept === null ? { status: 'signed-out', reason: null } : { status: 'restoring' },
  );

  function enter(credential: string, apiKey: CurrentApiKey, remember: boolean): void {
    held = credential;
    if (remember) storage?.setItem(storageKey, credential);
    else storage?.removeItem(storageKey);
    state.set({ status: 'signed-in', apiKey });
  }
  function signOut(reason?: string): void {
    held = null;
    storage?.removeItem(storageKey);
    state.set({ status: 'signed-out', reason: reason ?? null });
    onChange();
  }
  function continueWith(credential: string, apiKey: CurrentApiKey): void {
    enter(credential, apiKey, (storage?.getItem(storageKey) ?? null) !== null);
  }
  /** What an answer says of a key that was replaced meanwhile, it does not say of the one that is in use. */
  function endIfRefused(): void {
    if (replacements === 0 && refused !== null && refused === held) signOut(refusedReason);
  }
  async function restore(credential: string): Promise<void> {
    try {
      enter(credential, await readCurrent(credential), true);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) signOut(refusedReason);
      // Nothing was said of the key: it is asked about again when the server takes requests.
      else if (error instanceof ApiError && error.status === 429) after(askAgainAfterMs(0, error), resume);
      // The key may well be good: it stays, for when the server is back or the page is loaded again.
      else if (!(error instanceof UnreachableError))
        state.set({ status: 'signed-out', reason: unsureReason });
    }
  }
  const resume = () => {
    if (kept !== null && state.get().status === 'restoring') void restore(kept);
  };
  resume();

  return {
    state,
    credential: () => held,
    async signIn(credential, remember) {
      const apiKey = await readCurrent(credential);
      onChange();
      enter(credential, apiKey, remember);
    },
    continueWith,
    async replace(act) {
      replacements++;
      try {
        const replaced = await act();
        continueWith(replaced.raw_key, replaced.api_key);
        return replaced;
      } finally {
        replacements--;
        endIfRefused();
      }
    },
    refuse(credential) {
      refused = credential;
      endIfRefused();
    },
    signOut,
    resume,
  };
}
