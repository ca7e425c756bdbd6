import { randomBytes, randomUUID } from 'node:crypto';
import {
  authRoutes,
  createApiKeyVerifier,
  createAuditPurge,
  readStoredWarnings,
  seeSetupOrigin,
  toSetupSecrets,
  usesFlushMs,
} from '@latchkey/auth';
import { contentRoutes, createContentReader, readUploadStore } from '@latchkey/content';
import { keyDerivationRoutes, type MasterKeyRing } from '@latchkey/key-derivation';
import { createLeaseReader, leaseRoutes, readLeaseRules, startLeaseJobs } from '@latchkey/leases';
import { createRefusalLog } from '@latchkey/shared/audit';
import { createAuthenticator, createTokens } from '@latchkey/shared/auth';
import { createAuthority } from '@latchkey/shared/authority';
import type { Clock } from '@latchkey/shared/clock';
import { readAuditRetention, type SingleNodeValues } from '@latchkey/shared/config';
import type { Database } from '@latchkey/shared/db';
import {
  createDatabaseFeed,
  createFeedFollower,
  createInProcessBus,
  createLedger,
  pullIntervalMs,
} from '@latchkey/shared/events';
import {
  type App,
  addGuard,
  addRefusalAudit,
  createRateLimiter,
  type RouteOptions,
} from '@latchkey/shared/http';
import { everyMs, type Readiness, type Shutdown } from '@latchkey/shared/lifecycle';
import { createRepeatedWarnings, type OperatorLog } from '@latchkey/shared/log';
import { boundCaches, planCaches, readProcessMemory } from '@latchkey/shared/memory';
import type { Metrics } from '@latchkey/shared/metrics';
import { addOwnStatistics } from './statistics/add-own-statistics.ts';

/** Expiry is by comparison, so the purge only saves room and can be rare. */
const purgeEveryMs = 60_000;
const jobsEndMs = 5_000;

export interface SingleNodeResources {
  app: App;
  db: Database;
  values: SingleNodeValues;
  masterKeys: MasterKeyRing;
  clock: Clock;
  metrics: Metrics;
  readiness: Readiness;
  log: OperatorLog;
  shutdown: Shutdown;
}

/** What the services share in one process: each is given its neighbours themselves, where processes would have clients. */
async function createCore({ app, db, values, clock, metrics, log, shutdown }: SingleNodeResources) {
  const onFault = (what: string) => (error: unknown) => log.error(what, { error });
  const bus = createInProcessBus(onFault('a message could not be delivered'));
  const setup = toSetupSecrets(values);
  const verifier = createApiKeyVerifier({
    db,
    clock,
    bootstrapKey: setup.bootstrapKey,
    onFault: onFault('uses of API keys could not be written'),
  });
  const contents = createContentReader({ db });
  const follower = createFeedFollower({
    feed: createDatabaseFeed(db),
    bus,
    clock,
    limitMs: values.authorityMaxAgeSeconds * 1_000,
    onDelay: (delayMs) => metrics.revocationDelay.observe(delayMs / 1_000),
    onApplied: (number, at, change) => metrics.statistics.noteChange(number, at, change),
  });
  const cacheBytes = planCaches(boundCaches(readProcessMemory()));
  const authority = createAuthority({
    apiKeys: verifier,
    contents,
    leases: createLeaseReader({ db, renewGraceSeconds: values.leaseRenewGraceSeconds }),
    follower,
    bus,
    clock,
    onLookup: metrics.countCacheLookup,
    cacheBytes,
  });
  const tokens = createTokens(values, {
    clock,
    maxBytes: cacheBytes.tokens,
    onFault: onFault('the key set of viewer tokens could not be fetched'),
    shutdown,
  });
  const authenticator = createAuthenticator({
    apiKeys: authority.apiKeys,
    verifier,
    tokens,
    // Where tokens are configured, a viewer without one is nobody.
    allowAnonymous: tokens === null && values.allowAnonymousViewers,
    clock,
  });
  const warn = createRepeatedWarnings(log, clock);
  const limiter = values.rateLimit === 'on' ? await createRateLimiter(app, values) : null;
  const service: RouteOptions = {
    db,
    ledger: createLedger({ db, bus, clock }),
    clock,
    randomId: randomUUID,
    refusals: createRefusalLog(db, clock, (error) => warn('refusals could not be recorded', error)),
    guard: { authenticator, limiter, viewerSources: values.viewerTokenFrom },
  };
  return { bus, setup, verifier, contents, follower, authority, service, onFault };
}

type Core = Awaited<ReturnType<typeof createCore>>;

/** Mounts every service on one host and starts what runs beside the requests. */
export async function mountServices(resources: SingleNodeResources): Promise<void> {
  const core = await createCore(resources);
  await core.follower.pull();
  await mountRoutes(resources, core);
  await mountStatistics(resources, core);
  startJobs(resources, core);
}

async function mountRoutes(
  { app, values, clock, metrics, masterKeys, log }: SingleNodeResources,
  core: Core,
): Promise<void> {
  const { service, verifier, contents, authority, bus, setup } = core;
  await authRoutes({
    ...service,
    randomBytes,
    setup,
    warn: (message) => log.warn(message),
    originOf: (request) => seeSetupOrigin(request, values.publicUrl ?? null),
    bus,
    flushUses: () => verifier.flush(),
  })(app);
  await contentRoutes({
    ...service,
    publicUrl: values.publicUrl ?? null,
    uploadStore: readUploadStore(values),
  })(app);
  await leaseRoutes({
    ...service,
    contents,
    contentMode: values.contentMode,
    rules: readLeaseRules(values),
    metrics,
    publisher: null,
  })(app);
  await keyDerivationRoutes({
    authority,
    rules: values,
    masterKeys,
    clock,
    guard: service.guard,
    metrics,
  })(app);
}

async function mountStatistics(
  { app, db, clock, metrics, readiness }: SingleNodeResources,
  { service, setup }: Core,
): Promise<void> {
  await app.register(async (scope) => {
    addGuard(scope, service.guard);
    addRefusalAudit(scope, service.refusals);
    addOwnStatistics(scope, {
      clock,
      statistics: metrics.statistics,
      report: readiness.report,
      storedWarnings: () => readStoredWarnings(db, setup),
    });
  });
}

function startJobs(
  { db, clock, values, shutdown }: SingleNodeResources,
  { follower, verifier, onFault }: Core,
): void {
  const leaseJobs = startLeaseJobs({
    db,
    clock,
    renewGraceSeconds: values.leaseRenewGraceSeconds,
    tokenMaxAgeSeconds: values.authJwtMaxAgeSeconds,
    clockToleranceSeconds: values.authJwtClockToleranceSeconds,
    onFault: (what, error) => onFault(what)(error),
  });
  const auditPurge = createAuditPurge({ db, clock, retention: readAuditRetention(values) });
  const jobs = [
    everyMs(
      pullIntervalMs(follower.limitMs),
      () => follower.pull(),
      onFault('the change feed could not be read'),
    ),
    leaseJobs,
    everyMs(purgeEveryMs, () => auditPurge.run(), onFault('the audit could not be purged')),
    everyMs(usesFlushMs, () => verifier.flush(), onFault('uses of API keys could not be written')),
  ];
  shutdown.add('jobs', jobsEndMs, async () => {
    follower.stop();
    auditPurge.stop();
    await Promise.all(jobs.map((job) => job.stop()));
  });
}
