import { addGuard, type GuardOptions, type Routes } from '@latchkey/shared/http';
import type { Metrics } from '@latchkey/shared/metrics';
import { type ContentKeyIssuerOptions, createContentKeyIssuer } from './issue-content-key.ts';
import { addGetKeyRoutes } from './routes/get-key.ts';

export { checkMasterKeys, MasterKeyMismatch } from './check-master-keys.ts';
export { type KeyDerivationConfig, keyDerivationSettings, masterKeyRule } from './config.ts';
export { createMasterKeyRing, type MasterKeyRing } from './master-key-ring.ts';
export { tellMissingKeys } from './tell-missing-keys.ts';

export interface KeyDerivationPorts extends ContentKeyIssuerOptions {
  guard: GuardOptions;
  metrics: Metrics;
}

/** The key-derivation service: content keys, for whoever may have them. */
export function keyDerivationRoutes(ports: KeyDerivationPorts): Routes {
  const issuer = createContentKeyIssuer(ports);
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, ports.guard);
      scope.addHook('onError', async (request) => {
        // The error handler has not run yet, so the code is counted once the answer is under way.
        request.raw.once('close', () => ports.metrics.countKeyRequest(request.errorCode ?? 'INTERNAL'));
      });
      addGetKeyRoutes(scope, {
        issuer,
        metrics: ports.metrics,
        viewerSources: ports.guard.viewerSources ?? [],
      });
    });
  };
}
