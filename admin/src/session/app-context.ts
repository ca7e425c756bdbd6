import { createContext, useContext } from 'react';
import type { Api } from '../api/api.ts';
import type { Connection } from '../api/connection.ts';
import type { Events } from '../api/events.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import type { CurrentApiKey, IssuedApiKey } from '../api/resources.ts';
import type { Clock } from '../state/clock.ts';
import { type Store, useStore } from '../state/store.ts';
import type { Ticker } from '../state/time.ts';
import type { Toasts } from '../state/toasts.ts';
import type { Session } from './session.ts';

/** A key that was just made. @property note what else came of it: when the old key ends */
export interface ShownKey {
  issued: IssuedApiKey;
  note: string | null;
}

/** What every page stands on; made once, in `main.tsx`. */
export interface AppParts {
  api: Api;
  session: Session;
  connection: Connection;
  rateLimit: RateLimit;
  clock: Clock;
  events: Events;
  ticker: Ticker;
  toasts: Toasts;
  /** Shown until it is said to be stored, whatever page there is behind it: it is shown this once. */
  issuedKey: Store<ShownKey | null>;
}

export const AppContext = createContext<AppParts | null>(null);

export function useApp(): AppParts {
  const parts = useContext(AppContext);
  if (!parts) throw new Error('Nothing provides AppContext.');
  return parts;
}

export const useApi = (): Api => useApp().api;

/** Who is signed in. @throws Error on a page that is shown to nobody */
export function useCurrentApiKey(): CurrentApiKey {
  const state = useStore(useApp().session.state);
  if (state.status !== 'signed-in') throw new Error('Nobody is signed in.');
  return state.apiKey;
}
