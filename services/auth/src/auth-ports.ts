import type { IncomingMessage } from 'node:http';
import type { Bus } from '@latchkey/shared/events';
import type { ServicePorts } from '@latchkey/shared/http';
import type { SetupSecrets } from './config.ts';

/** What the routes of the auth service are made from. */
export interface AuthPorts extends ServicePorts {
  randomBytes: (size: number) => Buffer;
  setup: SetupSecrets;
  /** Whether a request comes straight from the machine itself, through no proxy. Setup without a credential rests on it. */
  isDirectFromLoopback: (request: IncomingMessage) => boolean;
  /** Where the event stream hears what happens. */
  bus: Bus;
  /** The verifier's `flush`, for when the service closes. */
  flushUses: () => Promise<void>;
}
