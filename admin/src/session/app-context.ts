import { createContext, useContext } from 'react';
import type { Api } from '../api/api.ts';
import type { Connection } from '../api/connection.ts';
import type { Events } from '../api/events.ts';
import type { CurrentApiKey } from '../api/resources.ts';
import { useStore } from '../state/store.ts';
import type { Ticker } from '../state/ticker.ts';
import type { Toasts } from '../state/toasts.ts';
import type { Session } from './session.ts';

/** What every page stands on; made once, in `main.tsx`. */
export interface AppParts {
  api: Api;
  session: Session;
  connection: Connection;
  events: Events;
  ticker: Ticker;
  toasts: Toasts;
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
