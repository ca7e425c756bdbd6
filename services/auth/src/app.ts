import { randomBytes } from 'node:crypto';
import type { Alert } from '@latchkey/shared/contracts';
import {
  type App,
  addGuard,
  addRefusalAudit,
  createSetupOriginReader,
  startSetupException,
} from '@latchkey/shared/http';
import { addAnswerPurge } from '@latchkey/shared/idempotency';
import { addFeedRoutes, type RecordUsage } from '@latchkey/shared/internal';
import type { OwnedApiKeyVerifier } from './api-key-verifier.ts';
import { addAuditJobs } from './audit-jobs.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import { type AuthConfig, toSetupSecrets } from './config.ts';
import type { RowCore } from './own-tables.ts';
import { addExportAuditRoute, addListAuditRoute } from './routes/audit.ts';
import {
  addCreateApiKeyRoute,
  addGetApiKeyRoute,
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
import { addUpdateApiKeyRoute } from './routes/update-api-key.ts';
import { addGetUsageRoute, addRecordUsageRoute } from './routes/usage.ts';
import { addListDeliveriesRoute, addSendRoutes } from './routes/webhook-deliveries.ts';
import { addWebhookListRoutes, addWebhookRoutes } from './routes/webhooks.ts';
import { readSetupOrigin } from './setup-credential.ts';
import { readStoredWarnings, toAlerts } from './stored-warnings.ts';
import { addUsageJobs, toUsageAccess } from './usage/usage-jobs.ts';
import { usesFlushMs } from './use-log.ts';
import { addWebhookJobs } from './webhook-jobs.ts';

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
  const { app, values, log, jobs } = core;
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
  await addAuthRoutes(app, options);
  const recordUsage = addUsageJobs(core, options.usageAccess);
  if (core.isSeparate) {
    // Where the process has the statistics itself, the gateway forwards the call.
    if (!app.hasRoute({ method: 'GET', url: '/api/v1/statistics' }))
      await app.register(async (scope) => {
        addGuard(scope, options.guard);
        addRefusalAudit(scope, options.refusals);
        addAuthorizeStatisticsRoute(scope, options);
      });
    addAuthInternalRoutes(app, apiKeys);
    addFeedRoutes(app, core.feed);
    addAlertsRoute(app, async (alerts) => {
      const stored = await readStoredWarnings(core.db, options.setup);
      await webhooks.noteAlerts([...alerts, ...toAlerts(stored)]);
    });
    addRecordUsageRoute(app, recordUsage);
  }
  jobs.repeat({
    everyMs: usesFlushMs,
    run: () => apiKeys.flush(),
    failed: 'uses of API keys could not be written',
  });
  addAuditJobs(core);
  addAnswerPurge('auth_idempotency_keys', core);
  return recordUsage;
}

/** Only the process that clients connect to sees where a call comes from. */
function createOriginOf({ isSeparate, values, clock }: RowCore<AuthConfig>): AuthRouteOptions['originOf'] {
  if (!isSeparate) return createSetupOriginReader(values, clock);
  const isExceptionOpen = startSetupException(values, clock);
  return (request) => readSetupOrigin(request, isExceptionOpen);
}

/** Setup, API keys, audit, usage, the event stream and webhooks. */
export async function addAuthRoutes(app: App, options: AuthRouteOptions): Promise<void> {
  await app.register(async (scope) => {
    addGuard(scope, options.guard);
    addRefusalAudit(scope, options.refusals);
    scope.addHook('onClose', options.flushUses);
    addGetSetupRoute(scope, options);
    addClaimSetupRoute(scope, options);
    addCreateApiKeyRoute(scope, options);
    addListApiKeysRoute(scope, options);
    addGetCurrentApiKeyRoute(scope, options);
    addGetApiKeyRoute(scope, options);
    addUpdateApiKeyRoute(scope, options);
    addRevokeApiKeyRoute(scope, options);
    addRotateApiKeyRoute(scope, options);
    addListAuditRoute(scope, options);
    addExportAuditRoute(scope, options);
    addGetUsageRoute(scope, options);
    addStreamEventsRoute(scope, options);
    addWebhookListRoutes(scope, options);
    addWebhookRoutes(scope, options);
    addListDeliveriesRoute(scope, options);
    addSendRoutes(scope, options);
  });
}
