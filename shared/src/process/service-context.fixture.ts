import { createSystemClock } from '../clock/clock.ts';
import { createReadiness, createShutdown } from '../lifecycle/index.ts';
import { createMetrics } from '../metrics/metrics.ts';
import type { TlsFiles } from '../tls/index.ts';
import { createProcessBase } from './process-context.ts';

export const internalSecret = 'a secret between services, 32 bytes';
const log = { info() {}, warn() {}, error() {} };

/** The context for the host of a service, without a configuration. */
export function createServiceContext({
  clock = createSystemClock(),
  internalTls = null as TlsFiles | null,
} = {}) {
  const base = createProcessBase({ clock, log, shutdown: createShutdown(log) });
  return {
    ...{ ...base, internalTls, name: 'leases', version: '0' },
    values: {
      ...{ host: '127.0.0.1', port: 0, metricsHost: '127.0.0.1', metricsPort: 0 },
      ...{ internalSecret: { reveal: () => internalSecret }, overloadDelayMs: 'off' as const },
    },
    metrics: createMetrics(clock, { registry: base.registry }),
    readiness: createReadiness(base.dependencies, clock, () => {}),
  };
}
