import { randomBytes } from 'node:crypto';
import type { Alert } from '@latchkey/shared/contracts';
import {
  addGuard,
  addRefusalAudit,
  createSetupOriginReader,
  type Routes,
  startSetupException,
} from '@latchkey/shared/http';
import { addFeedRoutes, type RecordUsage } from '@latchkey/shared/internal';
import { createBootstrapKeyAnnouncer } from './announce-bootstrap-keys.ts';
import type { OwnedApiKeyVerifier } from './api-key-verifier.ts';
import { addAuditJobs } from './audit-jobs.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import { type AuthConfig, type SetupSecrets, toSetupSecrets } from './config.ts';
import type { RowCore } from './own-tables.ts';
import { addExportAuditRoute, addListAuditRoute } from './routes/audit.ts';
import {
  addCreateApiKeyRoute,
  addGetCurrentApiKeyRoute,
  addListApiKeysRoute,
} from './routes/create-and-read-api-keys.ts';
import {
  addAlertsRoute,
  addAuthInternalRoutes,
  addAuthorizeStatisticsRoute,
} from './routes/internal-routes.ts';
import { addRevokeApiKeyRoute, addRotateApiKeyRoute } from './routes/revoke-and-rotate-api-key.ts';
import { addClaimSetupRoute, addGetSetupRoute } from './routes/setup.ts';
import { addStreamEventsRoute } from './routes/stream-events.ts';
import { addGetUsageRoute, addRecordUsageRoute } from './routes/usage.ts';
import { addListDeliveriesRoute, addSendRoutes } from './routes/webhook-deliveries.ts';
import { addWebhookListRoutes, addWebhookRoutes } from './routes/webhooks.ts';
import { readSetupOrigin } from './setup-credential.ts';
import { readStoredWarnings, toAlerts } from './stored-warnings.ts';
import { addUsageJobs, toUsageAccess } from './usage/usage-jobs.ts';
import { usesFlushMs } from './use-log.ts';
import { addWebhookJobs } from './webhook-jobs.ts';

/** Looking whether they have changed takes nothing. A key that was taken away is refused everywhere so soon. */
const bootstrapKeysEveryMs = 200;

interface AuthReaders {
  apiKeys: OwnedApiKeyVerifier;
  /** All problems that the Overview shows, where this process knows them. Elsewhere gateways report them. */
  readAlerts?: () => Promise<readonly Alert[]>;
}

/**
 * Adds the auth service to a process: its routes, those for other services, and its jobs.
 *
 * @returns writes the usage that was counted in this process
 */
export async function mount(
  core: RowCore<AuthConfig>,
  { apiKeys, readAlerts }: AuthReaders,
): Promise<RecordUsage> {
  const { app, values, log } = core;
  const webhooks = addWebhookJobs(core, readAlerts);
  const options: AuthRouteOptions = {
    ...core,
    randomBytes,
    setup: toSetupSecrets(values),
    warn: (message) => log.warn(message),
    originOf: createOriginOf(core),
    flushUses: () => apiKeys.flush(),
    webhookOrigins: values.webhookOrigins,
    sendWebhooks: webhooks.send,
    usageAccess: toUsageAccess(values),
  };
  await authRoutes(options)(app);
  const recordUsage = addUsageJobs(core, options.usageAccess);
  if (core.isSeparate) {
    // Where the process has the statistics itself, the gateway forwards the call.
    if (!app.hasRoute({ method: 'GET', url: '/api/v1/statistics' }))
      await addStatisticsForGateway(options)(app);
    addAuthInternalRoutes(app, apiKeys);
    addFeedRoutes(app, core.feed);
    addAlertsRoute(app, async (alerts) => {
      const stored = await readStoredWarnings(core.db, options.setup);
      await webhooks.noteAlerts([...alerts, ...toAlerts(stored)]);
    });
    addRecordUsageRoute(app, recordUsage);
  }
  addJobs(core, apiKeys, options.setup);
  return recordUsage;
}

/** Only the process that clients connect to sees where a call comes from. */
function createOriginOf({ isSeparate, values, clock }: RowCore<AuthConfig>): AuthRouteOptions['originOf'] {
  if (!isSeparate) return createSetupOriginReader(values, clock);
  const isExceptionOpen = startSetupException(values, clock);
  return (request) => readSetupOrigin(request, isExceptionOpen);
}

/** Setup, API keys, audit, usage and the event stream. */
export function authRoutes(options: AuthRouteOptions): Routes {
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, options.guard);
      addRefusalAudit(scope, options.refusals);
      scope.addHook('onClose', options.flushUses);
      addGetSetupRoute(scope, options);
      addClaimSetupRoute(scope, options);
      addCreateApiKeyRoute(scope, options);
      addListApiKeysRoute(scope, options);
      addGetCurrentApiKeyRoute(scope, options);
      addRevokeApiKeyRoute(scope, options);
      addRotateApiKeyRoute(scope, options);
      addListAuditRoute(scope, options);
      addExportAuditRoute(scope, options);
      addGetUsageRoute(scope, options);
      addStreamEventsRoute(scope, options);
      await scope.register(webhookRoutes(options));
    });
  };
}

function webhookRoutes(options: AuthRouteOptions): Routes {
  return async (app) => {
    addWebhookListRoutes(app, options);
    addWebhookRoutes(app, options);
    addListDeliveriesRoute(app, options);
    addSendRoutes(app, options);
  };
}

/** For the gateway of separate services. In the single node the gateway itself has this path. */
function addStatisticsForGateway(options: AuthRouteOptions): Routes {
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, options.guard);
      addRefusalAudit(scope, options.refusals);
      addAuthorizeStatisticsRoute(scope, options);
    });
  };
}

function addJobs(core: RowCore<AuthConfig>, apiKeys: OwnedApiKeyVerifier, setup: SetupSecrets): void {
  const { jobs } = core;
  jobs.repeat({
    everyMs: bootstrapKeysEveryMs,
    run: createBootstrapKeyAnnouncer(core.ledger, setup),
    failed: 'a renewed ADMIN_API_KEY could not be announced; it is tried again',
  });
  jobs.repeat({
    everyMs: usesFlushMs,
    run: () => apiKeys.flush(),
    failed: 'uses of API keys could not be written',
  });
  addAuditJobs(core);
}
