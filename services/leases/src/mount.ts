import type { ContentReader, LeaseReader } from '@latchkey/shared/contracts';
import { createTableCheck } from '@latchkey/shared/db';
import { addGuard, addRefusalAudit, type Routes } from '@latchkey/shared/http';
import { addFeedRoutes } from '@latchkey/shared/internal';
import { createLeasePublisher } from '@latchkey/shared/replicas';
import { countActiveLeases, gaugeActiveLeases, sampleActiveLeases } from './active-leases.ts';
import { type LeaseConfig, readLeaseRules } from './config.ts';
import { createLeaseLedger } from './lease-ledger.ts';
import type { LeaseRouteOptions, LeaseService } from './lease-route-options.ts';
import type { RowCore } from './own-tables.ts';
import { createLeasePurge } from './purge-leases.ts';
import { createRevocationWriter } from './revocation-writer.ts';
import { addCreateLeaseRoute } from './routes/create-lease.ts';
import { addLeaseInternalRoutes } from './routes/internal-routes.ts';
import { addGetLeaseRoute, addListLeasesRoute } from './routes/read-leases.ts';
import { addRenewLeaseRoute } from './routes/renew-lease.ts';
import { addReportPlayerMetricsRoute } from './routes/report-player-metrics.ts';
import { closeLeasePaths, reserveLeasePaths } from './routes/reserve-paths.ts';
import { addRevokeLeasesRoute } from './routes/revoke-leases.ts';

/** Expiry is by comparison, so the purge only saves room and can be rare. */
const purgeEveryMs = 60_000;
/** A revocation holds before its rows are written, so a second is soon enough. */
const writeEveryMs = 1_000;

interface LeaseReaders {
  leases: LeaseReader;
  contents: ContentReader;
}

/** Adds the lease service to a process: its routes, those for other services, and its jobs. */
export async function mount(core: RowCore<LeaseConfig>, { leases, contents }: LeaseReaders): Promise<void> {
  const { app, values, sharing } = core;
  await leaseRoutes({
    ...core,
    publisher: sharing && createLeasePublisher(sharing),
    contents,
    contentMode: values.contentMode,
    rules: readLeaseRules(values),
  })(app);
  if (core.isSeparate) {
    addLeaseInternalRoutes(app, leases, core.feed);
    addFeedRoutes(app, core.feed);
  }
  addJobs(core);
}

/** Leases, their revocation, and what players report. */
export function leaseRoutes(options: LeaseRouteOptions): Routes {
  return async (app) => {
    const service: LeaseService = {
      ...options,
      ledger: createLeaseLedger(options.ledger, options.publisher, options.rules),
      revocations: createTableCheck('revocations'),
    };
    gaugeActiveLeases(options.metrics.activeLeases, () => countActiveLeases(service));
    const samples = sampleActiveLeases(options, () => countActiveLeases(service));
    app.addHook('onClose', () => samples.stop());
    await app.register(async (scope) => {
      addGuard(scope, options.guard);
      addRefusalAudit(scope, options.refusals);
      addReportPlayerMetricsRoute(scope, options);
      if (options.rules.mode === 'off') return closeLeasePaths(scope);
      reserveLeasePaths(scope);
      addCreateLeaseRoute(scope, service);
      addRenewLeaseRoute(scope, service);
      addRevokeLeasesRoute(scope, service);
      addListLeasesRoute(scope, service);
      addGetLeaseRoute(scope, service);
    });
  };
}

function addJobs({ db, clock, values, jobs }: RowCore<LeaseConfig>): void {
  const stopping = new AbortController();
  const options = { db, clock, revocations: createTableCheck('revocations'), signal: stopping.signal };
  const purge = createLeasePurge({
    ...options,
    renewGraceSeconds: values.leaseRenewGraceSeconds,
    tokenMaxAgeSeconds: values.authJwtMaxAgeSeconds,
    clockToleranceSeconds: values.authJwtClockToleranceSeconds,
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
