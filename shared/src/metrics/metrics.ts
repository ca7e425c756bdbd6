import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** From 0.5 ms, which is what a warm key request takes, to the 5 s after which a state is unknown. */
const requestBucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What Prometheus may read. No label names a content, a viewer or a path: labels are kept for ever. */
export interface Metrics {
  registry: Registry;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
  keyRequests: Counter<'outcome'>;
  cacheLookups: Counter<'cache' | 'result'>;
  revocationDelay: Histogram;
  upstreamErrors: Counter<'upstream'>;
  activeLeases: Gauge;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of HTTP requests by route pattern, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: requestBucketsSeconds,
    registers,
  });
  // Looking labels up costs more than observing; routes, methods and statuses are few.
  const children = new Map<string, { observe(value: number): void }>();
  return {
    registry,
    observeRequest(route, method, status, seconds) {
      const id = `${method} ${status} ${route}`;
      let child = children.get(id);
      if (!child) {
        child = requests.labels({ route, method, status: String(status) });
        children.set(id, child);
      }
      child.observe(seconds);
    },
    keyRequests: new Counter({
      name: 'latchkey_key_requests_total',
      help: 'Key requests by outcome: served, or the code of the refusal.',
      labelNames: ['outcome'],
      registers,
    }),
    cacheLookups: new Counter({
      name: 'latchkey_cache_lookups_total',
      help: 'Look-ups of cached states by cache and result.',
      labelNames: ['cache', 'result'],
      registers,
    }),
    revocationDelay: new Histogram({
      name: 'latchkey_revocation_delay_seconds',
      help: 'From the time of a change of authority until this process has applied it.',
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    upstreamErrors: new Counter({
      name: 'latchkey_upstream_errors_total',
      help: 'Questions to a dependency that failed.',
      labelNames: ['upstream'],
      registers,
    }),
    activeLeases: new Gauge({
      name: 'latchkey_active_leases',
      help: 'Leases that are neither expired nor revoked.',
      registers,
    }),
  };
}
