import type { TokenSettings } from '@latchkey/shared/auth';
import { type App, addGuard, type GuardOptions } from '@latchkey/shared/http';
import type { SessionUses } from '@latchkey/shared/internal';
import { exportCache, type ServiceCore } from '@latchkey/shared/process';
import type { KeyDerivationConfig } from './config.ts';
import { createContentKeyCache } from './content-key-cache.ts';
import { createKeyRequestCounter, type KeyRequestCounters, namedContent } from './count-key-request.ts';
import { createKeyRequestExplainer } from './explain-key-request.ts';
import { type ContentKeyIssuer, createContentKeyIssuer } from './issue-content-key.ts';
import { reportMissingKeys } from './master-key-missing.ts';
import type { MasterKeyRing } from './master-key-ring.ts';
import { createLocalPace } from './pace/local-pace.ts';
import { createSharedPace } from './pace/shared-pace.ts';
import { addClearKeyRoute } from './routes/clear-key-license.ts';
import { addCpixRoute } from './routes/cpix.ts';
import { addExplainKeyRoute } from './routes/explain-key.ts';
import { addExportRoute, type ExportRouteOptions } from './routes/export-keys.ts';
import { addKeyRoutes } from './routes/get-key.ts';
import { addImportedKeyRoutes } from './routes/imported-keys.ts';
import { addSpekeRoutes } from './routes/speke.ts';
import { addVodDrmRoute } from './routes/vod-drm.ts';

export interface KeyDerivationOptions extends KeyRequestCounters {
  issuer: ContentKeyIssuer;
  guard: GuardOptions;
  /** `PUBLIC_URL`; null if it is not set. */
  publicUrl: string | null;
}

interface MountOptions extends Pick<ExportRouteOptions, 'contents' | 'importedKeys' | 'refusals'> {
  masterKeys: MasterKeyRing;
  /** A use of a session, which may extend its lease. It must not wait or throw. */
  noteUse: SessionUses['noteUse'];
}

type MountConfig = KeyDerivationConfig & Pick<TokenSettings, 'authJwtClockToleranceSeconds'>;

/** Adds the key-derivation service to a process. It has no internal routes, because no service calls it. */
export async function mount(
  core: ServiceCore<MountConfig>,
  { masterKeys, noteUse, ...stores }: MountOptions,
): Promise<void> {
  // Optional: `/ready` shows a version that is missing, and the others are served.
  core.dependencies.push({ name: 'master-key', optional: true, check: masterKeys.check });
  if (core.isSeparate) reportMissingKeys(core.app);
  core.metrics.statistics.fingerprints = () => masterKeys.fingerprints;
  const local = createLocalPace(core.clock, core.cacheBytes.paces);
  exportCache(core.metrics.registry, 'paces', local.kept, core.cacheBytes.paces);
  const pace = core.sharing ? createSharedPace(core.sharing.connection, local) : local;
  const options = {
    ...core,
    ...stores,
    rules: core.values,
    masterKeys,
    pace,
    noteUse,
    keys: createContentKeyCache(masterKeys),
  };
  const publicUrl = core.values.publicUrl ?? null;
  await addKeyDerivationRoutes(core.app, { ...options, publicUrl, issuer: createContentKeyIssuer(options) });
  await core.app.register(async (scope) => {
    addGuard(scope, core.guard);
    const forget = (contentId: string) => core.authority.contents.invalidate(contentId);
    addImportedKeyRoutes(scope, { ...options, forget });
    addExportRoute(scope, { ...options, forget });
  });
  await core.app.register(async (scope) => {
    addGuard(scope, core.guard);
    addExplainKeyRoute(scope, {
      ...options,
      explain: createKeyRequestExplainer(options),
      authenticator: core.guard.authenticator,
      clockToleranceSeconds: core.values.authJwtClockToleranceSeconds,
    });
  });
}

/** The routes of content keys and of packagers. Only requests for content keys count as key requests: players make them. */
export async function addKeyDerivationRoutes(app: App, options: KeyDerivationOptions): Promise<void> {
  const { issuer, publicUrl } = options;
  const countKeyRequest = createKeyRequestCounter(options);
  await app.register(async (scope) => {
    addGuard(scope, options.guard);
    scope.addHook('onError', async (request, reply) => {
      // The error handler has not run yet, so the code is counted once the answer is under way.
      reply.raw.once('close', () =>
        countKeyRequest(request.principal, namedContent(request.params), request.errorCode ?? 'INTERNAL'),
      );
    });
    const forPlayers = {
      issuer,
      countKeyRequest,
      viewerSources: options.guard.viewerSources ?? [],
    };
    addKeyRoutes(scope, forPlayers);
    // Its own scope: it reads bodies of any type.
    await scope.register(async (licenses) => addClearKeyRoute(licenses as App, forPlayers));
  });
  await app.register(async (scope) => {
    addGuard(scope, options.guard);
    addCpixRoute(scope, { issuer, publicUrl });
    addVodDrmRoute(scope, { issuer });
    addSpekeRoutes(scope, { issuer, publicUrl });
  });
}
