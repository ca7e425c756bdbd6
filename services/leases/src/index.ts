import { createTableCheck } from '@latchkey/shared/db';
import { addGuard, addRefusalAudit, type Routes } from '@latchkey/shared/http';
import { countActiveLeases, gaugeActiveLeases, sampleActiveLeases } from './active-leases.ts';
import { createLeaseLedger } from './lease-ledger.ts';
import type { LeaseRouteOptions, LeaseService } from './lease-route-options.ts';
import { createPlayerMetrics } from './player-metrics.ts';
import { addCreateLeaseRoute } from './routes/create-lease.ts';
import { addGetLeaseRoute } from './routes/get-lease.ts';
import { addListLeasesRoute } from './routes/list-leases.ts';
import { addRenewLeaseRoute } from './routes/renew-lease.ts';
import { addReportPlayerMetricsRoute } from './routes/report-player-metrics.ts';
import { closeLeasePaths, reserveLeasePaths } from './routes/reserve-paths.ts';
import { addRevokeLeasesRoute } from './routes/revoke-leases.ts';

export { leaseSettingRules, leaseSettings, readLeaseRules } from './config.ts';
export { startLeaseJobs } from './lease-jobs.ts';
export { createLeaseReader } from './lease-reader.ts';
export type { LeaseRouteOptions } from './lease-route-options.ts';
export type { LeaseRules } from './lease-rules.ts';
export { addLeaseInternalRoutes } from './routes/internal-routes.ts';

/** The lease service: leases, their revocation, and what players report. */
export function leaseRoutes(options: LeaseRouteOptions): Routes {
  return async (app) => {
    const service: LeaseService = {
      ...options,
      ledger: createLeaseLedger(options.ledger, options.publisher, options.rules),
      revocations: createTableCheck('revocations'),
    };
    const playerMetrics = createPlayerMetrics(options.metrics);
    gaugeActiveLeases(options.metrics.activeLeases, () => countActiveLeases(service));
    const samples = sampleActiveLeases(options, () => countActiveLeases(service));
    app.addHook('onClose', () => samples.stop());
    await app.register(async (scope) => {
      addGuard(scope, options.guard);
      addRefusalAudit(scope, options.refusals);
      addReportPlayerMetricsRoute(scope, playerMetrics);
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
