import { ApiError, UnreachableError } from '../api/api-error.ts';
import { retryDelayMs } from '../api/rate-limit.ts';
import type { CurrentApiKey } from '../api/schema.ts';
import { createStore } from '../state/store.ts';

type SessionState =
  /** A key was found in sessionStorage. The server is being asked about it. */
  | { status: 'restoring' }
  /** @property reason the cause, unless the admin signed out */
  | { status: 'signed-out'; reason: string | null }
  | { status: 'signed-in'; apiKey: CurrentApiKey };

/** A new key with its description. The key is null only in an answer that is repeated. */
interface Replacement {
  raw_key: string | null;
  api_key: CurrentApiKey;
}

interface SessionOptions {
  /** sessionStorage. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  readCurrent: (credential: string) => Promise<CurrentApiKey>;
  /** Called when the key changes: data that was read with another key must not be shown. */
  onChange: () => void;
}

export const storageKey = 'latchkey-api-key';
export const refusedReason =
  'Your key is no longer accepted: it was revoked or has expired. Sign in with another key.';
const unsureReason = 'The server could not check your key. Reload the page to try again.';

/** The signed-in key. */
export function createSession({ storage, readCurrent, onChange }: SessionOptions) {
  const stored = storage.getItem(storageKey);
  let current: string | null = null;
  let replacements = 0;
  let refused: string | null = null;
  const state = createStore<SessionState>(
    stored === null ? { status: 'signed-out', reason: null } : { status: 'restoring' },
  );
  function enter(credential: string, apiKey: CurrentApiKey, remember: boolean): void {
    current = credential;
    if (remember) storage.setItem(storageKey, credential);
    else storage.removeItem(storageKey);
    state.set({ status: 'signed-in', apiKey });
  }
  function signOut(reason: string | null = null): void {
    current = null;
    storage.removeItem(storageKey);
    state.set({ status: 'signed-out', reason });
    onChange();
  }
  /** Continues with a key that replaces the current one. */
  const continueWith = (credential: string, apiKey: CurrentApiKey) =>
    enter(credential, apiKey, storage.getItem(storageKey) !== null);
  /** A refusal of a key that has been replaced does not concern the current key. */
  const endIfRefused = () => {
    if (replacements === 0 && refused !== null && refused === current) signOut(refusedReason);
  };
  async function restore(credential: string): Promise<void> {
    try {
      enter(credential, await readCurrent(credential), true);
    } catch (error) {
      // Only a 401 is about the key itself: in all other cases it may be valid, and it stays stored.
      const status = error instanceof ApiError ? error.status : null;
      if (status === 401) signOut(refusedReason);
      else if (status === 429) setTimeout(resume, retryDelayMs(0, error));
      // A server that does not answer now is asked again once it does.
      else if (!(error instanceof UnreachableError))
        state.set({ status: 'signed-out', reason: unsureReason });
    }
  }
  /** Asks again about a stored key, if the server did not answer before. */
  const resume = () => {
    if (stored !== null && state.get().status === 'restoring') void restore(stored);
  };
  resume();

  return {
    state,
    /** For `Authorization: Bearer`. Kept in memory, and in sessionStorage if the admin chose so. */
    credential: () => current,
    /** @throws ApiError, UnreachableError: the server's answer about the key */
    async signIn(credential: string, remember: boolean): Promise<void> {
      const apiKey = await readCurrent(credential);
      onChange();
      enter(credential, apiKey, remember);
    },
    continueWith,
    /**
     * Continues with the key that an action returns as the replacement of the current one. The current key may end before that
     * answer arrives. A refusal in the meantime ends the session only if no replacement arrives.
     */
    async replace<Replaced extends Replacement>(act: () => Promise<Replaced>): Promise<Replaced> {
      replacements++;
      try {
        const replaced = await act();
        continueWith(replaced.raw_key ?? '', replaced.api_key);
        return replaced;
      } finally {
        replacements--;
        endIfRefused();
      }
    },
    /** The server has refused this key. */
    refuse(credential: string): void {
      refused = credential;
      endIfRefused();
    },
    signOut,
    resume,
  };
}
