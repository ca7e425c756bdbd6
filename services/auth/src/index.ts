import { addGuard, addRefusalAudit, type Routes } from '@latchkey/shared/http';
import type { AuthPorts } from './auth-ports.ts';
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

export {
  type ApiKeyVerifierOptions,
  createApiKeyVerifier,
  type OwnedApiKeyVerifier,
} from './api-key-verifier.ts';
export type { AuthPorts } from './auth-ports.ts';
export { authVariables, type SetupSecrets, toSetupSecrets } from './config.ts';
export { createApiKey } from './create-api-key.ts';
export { lostManagersWarning } from './manager-warning.ts';
export { type AuditPurge, type AuditRetention, createAuditPurge } from './purge-audit.ts';
export { addAuthNeighbourRoutes } from './routes/tell-neighbours.ts';
export { openSetupWarning } from './setup-credential.ts';
export { seeSetupOrigin } from './setup-origin.ts';
export { readStoredWarnings } from './stored-warnings.ts';
export { usesFlushMs } from './use-log.ts';

/** Setup, API keys, audit and the event stream. */
export function authRoutes(ports: AuthPorts): Routes {
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, ports.guard);
      addRefusalAudit(scope, ports.refusals);
      scope.addHook('onClose', ports.flushUses);
      addGetSetupRoute(scope, ports);
      addClaimSetupRoute(scope, ports);
      addCreateApiKeyRoute(scope, ports);
      addListApiKeysRoute(scope, ports);
      addGetCurrentApiKeyRoute(scope, ports);
      addRevokeApiKeyRoute(scope, ports);
      addRotateApiKeyRoute(scope, ports);
      addListAuditRoute(scope, ports);
      addExportAuditRoute(scope, ports);
      addStreamEventsRoute(scope, ports);
    });
  };
}

/** What only the process of its own has: in the single node the gateway itself answers on these paths. */
export function authProcessRoutes(ports: AuthPorts): Routes {
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, ports.guard);
      addRefusalAudit(scope, ports.refusals);
      addAuthorizeStatisticsRoute(scope, ports);
    });
  };
}
