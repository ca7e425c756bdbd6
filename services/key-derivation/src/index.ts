import { addGuard, type GuardOptions, type Routes } from '@latchkey/shared/http';
import type { Metrics } from '@latchkey/shared/metrics';
import { type ContentKeyIssuerOptions, createContentKeyIssuer } from './issue-content-key.ts';
import { addGetKeyRoutes } from './routes/get-key.ts';

export { checkMasterKeys, MasterKeyMismatch } from './check-master-keys.ts';
export { keyDerivationSettings, masterKeyRule } from './config.ts';
export { createMasterKeyRing, type MasterKeyRing } from './master-key-ring.ts';
export { reportMissingKeys } from './report-missing-keys.ts';

export interface KeyDerivationOptions extends ContentKeyIssuerOptions {
  guard: GuardOptions;
  metrics: Metrics;
}

/** The key-derivation service: content keys, for whoever may have them. */
export function keyDerivationRoutes(options: KeyDerivationOptions): Routes {
  const issuer = createContentKeyIssuer(options);
  return async (app) => {
    await app.register(async (scope) => {
      addGuard(scope, options.guard);
      scope.addHook('onError', async (request) => {
        // The error handler has not run yet, so the code is counted once the answer is under way.
        request.raw.once('close', () => options.metrics.countKeyRequest(request.errorCode ?? 'INTERNAL'));
      });
      addGetKeyRoutes(scope, {
        issuer,
        metrics: options.metrics,
        viewerSources: options.guard.viewerSources ?? [],
      });
    });
  };
}
