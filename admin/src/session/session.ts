import { ApiError, UnreachableError } from '../api/api-error.ts';
import { retryDelayMs } from '../api/rate-limit.ts';
import type { CurrentApiKey } from '../api/schema.ts';
import { createStore, type Store } from '../state/store.ts';

type SessionState =
  /** A key was found in sessionStorage. The server is being asked about it. */
  | { status: 'restoring' }
  /** @property reason the cause, unless the admin signed out */
  | { status: 'signed-out'; reason: string | null }
  | { status: 'signed-in'; apiKey: CurrentApiKey };

export interface Session {
  state: Store<SessionState>;
  /** For `Authorization: Bearer`. Kept in memory, and in sessionStorage if the admin chose so. */
  credential(): string | null;
  /** @throws ApiError, UnreachableError: the server's answer about the key */
  signIn(credential: string, remember: boolean): Promise<void>;
  /** Continues with a key that replaces the current one. */
  continueWith(credential: string, apiKey: CurrentApiKey): void;
  /**
   * Continues with the key that an action returns as the replacement of the current one. The current key may end before that
   * answer arrives. A refusal in the meantime ends the session only if no replacement arrives.
   */
  replace<Replaced extends Replacement>(act: () => Promise<Replaced>): Promise<Replaced>;
  /** The server has refused this key. */
  refuse(credential: string): void;
  signOut(reason?: string): void;
  /** Asks again about a stored key, if the server did not answer before. */
  resume(): void;
}

/** A new key with its description. The key is null only in an answer that is repeated. */
interface Replacement {
  raw_key: string | null;
  api_key: CurrentApiKey;
}

interface SessionOptions {
  /** sessionStorage; null if the browser denies it. */
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null;
  readCurrent: (credential: string) => Promise<CurrentApiKey>;
  after?: (ms: number, act: () => void) => void;
  /** Called when the key changes: data that was read with another key must not be shown. */
  onChange: () => void;
}

export const storageKey = 'latchkey-api-key';
export const refusedReason =
  'Your key is no longer accepted: it was revoked or has expired. Sign in with another key.';
const unsureReason = 'The server could not check your key. Reload the page to try again.';

/** The signed-in key. */
export function createSession(options: SessionOptions): Session {
  const { storage, readCurrent, onChange, after = (ms, act) => void setTimeout(act, ms) } = options;
  const stored = storage?.getItem(storageKey) ?? null;
  let current: string | null = null;
  let replacements = 0;
  let refused: string | null = null;
  const initial: SessionState =
    stored === null ? { status: 'signed-out', reason: null } : { status: 'restoring' };
  const state = createStore<SessionState>(initial);
  function enter(credential: string, apiKey: CurrentApiKey, remember: boolean): void {
    current = credential;
    keep(storage, remember ? credential : null);
    state.set({ status: 'signed-in', apiKey });
  }
  function signOut(reason?: string): void {
    current = null;
    keep(storage, null);
    state.set({ status: 'signed-out', reason: reason ?? null });
    onChange();
  }
  const continueWith = (credential: string, apiKey: CurrentApiKey) =>
    enter(credential, apiKey, (storage?.getItem(storageKey) ?? null) !== null);
  /** A refusal of a key that has been replaced does not concern the current key. */
  const endIfRefused = () => {
    if (replacements === 0 && refused !== null && refused === current) signOut(refusedReason);
  };
  async function restore(credential: string): Promise<void> {
    try {
      enter(credential, await readCurrent(credential), true);
    } catch (error) {
      const meaning = readRefusal(error);
      if (meaning === 'refused') signOut(refusedReason);
      else if (meaning === 'ask later') after(retryDelayMs(0, error), resume);
      else if (meaning === 'unknown') state.set({ status: 'signed-out', reason: unsureReason });
    }
  }
  const resume = () => {
    if (stored !== null && state.get().status === 'restoring') void restore(stored);
  };
  resume();

  return {
    state,
    credential: () => current,
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
        continueWith(replaced.raw_key ?? '', replaced.api_key);
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

function keep(storage: SessionOptions['storage'], credential: string | null): void {
  if (credential === null) storage?.removeItem(storageKey);
  else storage?.setItem(storageKey, credential);
}

/** The meaning of a failed check for a stored key. Only `refused` is about the key itself: in all other cases it may be valid. */
function readRefusal(error: unknown): 'refused' | 'ask later' | 'unknown' | 'unreachable' {
  if (error instanceof UnreachableError) return 'unreachable';
  if (error instanceof ApiError && error.status === 401) return 'refused';
  return error instanceof ApiError && error.status === 429 ? 'ask later' : 'unknown';
}
