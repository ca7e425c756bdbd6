import { addGuard, addRefusalAudit, type Routes } from '@latchkey/shared/http';
import type { AuthRouteOptions } from './auth-route-options.ts';
import { addAuthorizeStatisticsRoute } from './routes/authorize-statistics.ts';
import { addClaimSetupRoute } from './routes/claim-setup.ts';
import { addCreateApiKeyRoute } from './routes/create-api-key.ts';
import { addExportAuditRoute } from './routes/export-audit.ts';
import { addGetCurrentApiKeyRoute } from './routes/get-current-api-key.ts';
import { addGetSetupRoute } from './routes/get-setup.ts';
import { addListApiKeysRoute } from './routes/list-api-keys.ts';
import { addListAuditRoute } from './routes/list-audit.ts';
import { addRevokeApiKeyRoute } from './routes/revoke-api-key.ts';
import { addRotateApiKeyRoute } from './routes/rotate-api-key.ts';
import { addStreamEventsRoute } from './routes/stream-events.ts';

export { createApiKeyVerifier } from './api-key-verifier.ts';
export type { AuthRouteOptions } from './auth-route-options.ts';
export { toSetupSecrets } from './config.ts';
export { createApiKey } from './create-api-key.ts';
export { lostManagersWarning } from './manager-warning.ts';
export { createAuditPurge } from './purge-audit.ts';
export { addAuthInternalRoutes } from './routes/internal-routes.ts';
export { openSetupWarning } from './setup-credential.ts';
export { seeSetupOrigin } from './setup-origin.ts';
export { readStoredWarnings } from './stored-warnings.ts';
export { usesFlushMs } from './use-log.ts';

/** Setup, API keys, audit and the event stream. */
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
      addStreamEventsRoute(scope, options);
    });
  };
}

/** What only the process of its own has: in the single node the gateway itself answers on these paths. */
export function authProcessRoutes(options: AuthRouteOptions): Routes {
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, options.guard);
      addRefusalAudit(scope, options.refusals);
      addAuthorizeStatisticsRoute(scope, options);
    });
  };
}
