import { randomBytes } from 'node:crypto';
import type { Clock } from '@latchkey/shared/clock';
import type { ContentReader, LeaseBatchReader, LeaseReader } from '@latchkey/shared/contracts';
import { clockStepMessage } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import { type App, addGuard, addRefusalAudit } from '@latchkey/shared/http';
import { addAnswerPurge } from '@latchkey/shared/idempotency';
import { addFeedRoutes } from '@latchkey/shared/internal';
import { everyMs, type Repeating } from '@latchkey/shared/lifecycle';
import { addGauge, type Metrics } from '@latchkey/shared/metrics';
import { createLeasePublisher } from '@latchkey/shared/replicas';
import { createActWriter } from './acts/write-acts.ts';
import { type LeaseConfig, marksKeptMs, readLeaseRules } from './config.ts';
import { createSessionExtender, type ExtendSessions } from './extend-sessions.ts';
import { createLeaseLedger } from './lease-ledger.ts';
import type { LeaseRouteOptions, LeaseService, LeaseWriting } from './lease-route-options.ts';
import { createLeaseFinder, LeaseStore } from './lease-store.ts';
import type { Database, RowCore } from './own-tables.ts';
import { createLeasePurge } from './purge-leases.ts';
import { createRevocationWriter } from './revocation-writer.ts';
import { countLeaseRequests } from './routes/count-lease-requests.ts';
import { addCreateLeaseRoute } from './routes/create-lease.ts';
import { addCreateSessionRoute, sessionsPath } from './routes/create-session.ts';
import { addLeaseInternalRoutes } from './routes/internal-routes.ts';
import { addListViewersRoute } from './routes/list-viewers.ts';
import { addLiftMarkRoute, addListMarksRoute } from './routes/marks.ts';
import { addGetLeaseRoute, addListLeasesRoute } from './routes/read-leases.ts';
import { addRenewLeaseRoute } from './routes/renew-lease.ts';
import { addReportPlayerMetricsRoute } from './routes/report-player-metrics.ts';
import { addRevokeLeasesRoute } from './routes/revoke-leases.ts';
import { addViewerBlockRoutes } from './routes/viewer-blocks.ts';

/** Expiry is by comparison, so the purge only saves room and can be rare. */
const purgeEveryMs = 60_000;
/** A revocation holds before its rows are written, so a second is soon enough. */
const writeEveryMs = 1_000;

interface LeaseReaders {
  leases: LeaseReader & LeaseBatchReader;
  contents: ContentReader;
}

/**
 * Adds the lease service to a process: its routes, those for other services, and its jobs.
 *
 * @returns extends sessions that were used in this process
 */
export async function mount(
  core: RowCore<LeaseConfig>,
  { leases, contents }: LeaseReaders,
): Promise<ExtendSessions> {
  const { app, values, sharing } = core;
  const options: LeaseRouteOptions = {
    ...core,
    publisher: sharing && createLeasePublisher(sharing),
    contents,
    contentMode: values.contentMode,
    rules: readLeaseRules(values),
    marksKeptMs: marksKeptMs(values),
    publicUrl: values.publicUrl ?? null,
    randomBytes,
  };
  await addLeaseRoutes(app, options);
  const extendSessions = createSessionExtender(toWriting(options));
  if (core.isSeparate) {
    addLeaseInternalRoutes(app, leases, core.feed, extendSessions);
    addFeedRoutes(app, core.feed);
  }
  addJobs(core);
  addAnswerPurge('lease_idempotency_keys', core);
  return extendSessions;
}

export function toWriting(options: LeaseRouteOptions): LeaseWriting {
  return {
    ...options,
    ledger: createLeaseLedger(options.ledger, options.publisher, options.rules),
  };
}

/** Leases, their revocation, and what players report. */
export async function addLeaseRoutes(app: App, options: LeaseRouteOptions): Promise<void> {
  const writing = toWriting(options);
  const service: LeaseService = {
    ...writing,
    acts: createActWriter(writing),
    findLease: createLeaseFinder(options.db),
  };
  gaugeActiveLeases(options.metrics.registry, service);
  const samples = sampleActiveLeases(options, () => countActiveLeases(service));
  app.addHook('onClose', () => samples.stop());
  await app.register(async (scope) => {
    addGuard(scope, options.guard);
    addRefusalAudit(scope, options.refusals);
    countLeaseRequests(scope, options.usage);
    addReportPlayerMetricsRoute(scope, options);
    if (options.rules.mode === 'off') return closeLeasePaths(scope);
    reserveLeasePaths(scope);
    addCreateLeaseRoute(scope, service);
    addCreateSessionRoute(scope, service);
    addRenewLeaseRoute(scope, service);
    addRevokeLeasesRoute(scope, service);
    addListLeasesRoute(scope, service);
    addGetLeaseRoute(scope, service);
    addListViewersRoute(scope, options);
    addListMarksRoute(scope, options);
    addLiftMarkRoute(scope, service);
    addViewerBlockRoutes(scope, service);
  });
}

function addJobs({ db, clock, log, values, jobs, metrics }: RowCore<LeaseConfig>): void {
  const stopping = new AbortController();
  const options = { db, clock, signal: stopping.signal };
  const purge = createLeasePurge({
    ...options,
    renewGraceSeconds: values.leaseRenewGraceSeconds,
    keepHours: values.leasesKeepHours,
    changesKeepMinutes: values.changesKeepMinutes,
    onClockStep: (waitMs) => log.warn(clockStepMessage, { waitSeconds: Math.ceil(waitMs / 1_000) }),
    observe: metrics.observePurge,
    marksKeptMs: marksKeptMs(values),
  });
  const writer = createRevocationWriter(options);
  const interrupt = () => stopping.abort();
  jobs.repeat({
    everyMs: purgeEveryMs,
    run: () => purge.run(),
    failed: 'what has ended could not be purged',
    interrupt,
  });
  jobs.repeat({
    everyMs: writeEveryMs,
    run: () => writer.run(),
    failed: 'revoked leases could not be written; they stay revoked',
    interrupt,
  });
}

/** Leases that are neither expired nor revoked now. */
export function countActiveLeases({ db, clock }: { db: Database; clock: Clock }): Promise<number> {
  return new LeaseStore(db).countActive({ viewerId: null, contentId: null }, clock.now());
}

/** Counts whenever the gauge is read, so that it needs no timer and is always current. */
function gaugeActiveLeases(registry: Metrics['registry'], { db, clock }: LeaseService): void {
  addGauge(registry, 'latchkey_active_leases', async () => {
    const count = async () => {
      const store = new LeaseStore(db);
      const now = clock.now();
      const all = await store.countActive({ viewerId: null, contentId: null }, now);
      const sessions = await store.countActiveSessions(now);
      // Leases may end between the two counts.
      return { lease: Math.max(0, all - sessions), session: sessions };
    };
    // An unknown count is not zero.
    const { lease, session } = await count().catch(() => ({ lease: Number.NaN, session: Number.NaN }));
    return [
      [{ kind: 'lease' }, lease],
      [{ kind: 'session' }, session],
    ];
  });
}

/** As long as a step of the statistics. A million active leases are counted in some 40 ms, on SQLite in a separate thread. */
const sampleEveryMs = 10_000;

/** Counts the active leases for each step of the statistics. A count that fails is left out. */
function sampleActiveLeases(
  { metrics }: { metrics: Pick<Metrics, 'statistics'> },
  count: () => Promise<number>,
): Repeating {
  const sample = async () => metrics.statistics.noteActiveLeases(await count());
  // If the database is away, readiness reports it.
  const first = sample().catch(() => {});
  const further = everyMs(sampleEveryMs, sample, () => {});
  return {
    async stop() {
      await first;
      await further.stop();
    },
  };
}

/** Without these routes, `/keys/:contentId` and `/keys/:contentId/:epoch` would take these paths for contents. */
const leasePaths = ['/keys/leases', '/keys/leases/renew', '/keys/leases/revoke'];
const reserved = { config: { access: 'open', reserved: true }, schema: { hide: true } } as const;

/** Answers other methods on the lease paths with 405 (RFC 9110 section 15.5.6). */
function reserveLeasePaths(app: App): void {
  for (const path of leasePaths) {
    // The methods of the key routes, whose parameters would match these paths.
    for (const method of ['GET', 'PUT']) {
      app.route({
        method,
        url: path,
        ...reserved,
        handler: (_request, reply) => {
          reply.header('allow', 'POST');
          throw new AppError('METHOD_NOT_ALLOWED', { detail: 'This path takes POST.' });
        },
      });
    }
  }
}

/** `LEASE_MODE=off`: the lease paths get 404 for every caller and method. */
function closeLeasePaths(app: App): void {
  const paths = leasePaths.map((url) => ({ url, method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }));
  // `GET /keys/sessions` is the key of a content with that id, which was always allowed.
  for (const path of [...paths, { url: sessionsPath, method: ['POST'] }]) {
    app.route({
      ...path,
      ...reserved,
      // Before the body is parsed, so that a malformed one gets 404, too.
      onRequest: async () => {
        throw new AppError('NOT_FOUND', { detail: 'Nothing is at this path.' });
      },
      handler: () => {},
    });
  }
}
