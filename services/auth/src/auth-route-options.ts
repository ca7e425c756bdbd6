import type { IncomingMessage } from 'node:http';
import type { Bus } from '@latchkey/shared/events';
import type { SetupOrigin } from '@latchkey/shared/http';
import type { SetupSecrets } from './config.ts';
import type { RouteOptions } from './own-tables.ts';
import type { UsageAccess } from './usage/usage-jobs.ts';

export interface AuthRouteOptions extends RouteOptions {
  randomBytes: (size: number) => Buffer;
  setup: SetupSecrets;
  /** Logs a warning for the operator. */
  warn: (message: string) => void;
  /** Where a call of setup comes from. Only the process that clients connect to can see it. */
  originOf: (request: IncomingMessage) => SetupOrigin;
  /** From which the event stream receives events. */
  bus: Bus;
  /** `WEBHOOK_ORIGINS` */
  webhookOrigins: readonly string[];
  /** Begins to send the messages of webhooks that are due. It does not wait or throw. */
  sendWebhooks: () => void;
  /** The verifier's `flush`, for when the service closes. */
  flushUses: () => Promise<void>;
  usageAccess: UsageAccess;
}
