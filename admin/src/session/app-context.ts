import { createContext, useContext } from 'react';
import type { Api } from '../api/api.ts';
import type { Connection } from '../api/connection.ts';
import type { Events } from '../api/events.ts';
import type { RateLimit } from '../api/rate-limit.ts';
import type { CurrentApiKey } from '../api/schema.ts';
import type { Clock, Ticker } from '../state/clock.ts';
import { type Store, useStore } from '../state/store.ts';
import type { Toasts } from '../state/toasts.ts';
import type { Session } from './session.ts';

/** A new secret, to be shown once. */
export interface ShownKey {
  kind: 'api-key' | 'webhook';
  /** Of the key or the webhook. */
  name: string;
  raw: string;
  /** A further result, such as when the old key ends. */
  note: string | null;
}

/** The objects that all pages share, created once, in `main.tsx`. */
export interface AppParts {
  /** Without a closing slash, with the path below which a proxy serves this server. */
  serverUrl: string;
  api: Api;
  session: Session;
  connection: Connection;
  rateLimit: RateLimit;
  clock: Clock;
  events: Events;
  ticker: Ticker;
  toasts: Toasts;
  /** Shown above every page until the admin confirms that it is stored: it cannot be shown again. */
  issuedKey: Store<ShownKey | null>;
}

export const AppContext = createContext<AppParts | null>(null);

export function useApp(): AppParts {
  const parts = useContext(AppContext);
  if (!parts) throw new Error('Nothing provides AppContext.');
  return parts;
}

export const useApi = (): Api => useApp().api;

/** The key that is signed in. @throws Error if nobody is signed in */
export function useCurrentApiKey(): CurrentApiKey {
  const state = useStore(useApp().session.state);
  if (state.status !== 'signed-in') throw new Error('Nobody is signed in.');
  return state.apiKey;
}
