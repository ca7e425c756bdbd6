import type { IncomingMessage } from 'node:http';
import type { Bus } from '@latchkey/shared/events';
import type { ForeignPageReason } from '@latchkey/shared/http';
import type { SetupSecrets } from './config.ts';
import type { RouteOptions } from './own-tables.ts';

/** Where a call of setup comes from. */
export interface SetupOrigin {
  /**
   * Whether it comes straight from the machine itself, through no proxy and by a name that nobody else can let lead here.
   * Setup without the bootstrap key rests on it.
   */
  isDirect: boolean;
  /** Why a page of another origin makes it; null for the own dashboard, and for what is no browser. */
  foreignPage: ForeignPageReason | null;
}

/** What the routes of the auth service are made from. */
export interface AuthRouteOptions extends RouteOptions {
  randomBytes: (size: number) => Buffer;
  setup: SetupSecrets;
  /** Tells the operator. */
  warn: (message: string) => void;
  /** Where a call of setup comes from. Only the front door sees that. */
  originOf: (request: IncomingMessage) => SetupOrigin;
  /** Where the event stream hears what happens. */
  bus: Bus;
  /** The verifier's `flush`, for when the service closes. */
  flushUses: () => Promise<void>;
}
