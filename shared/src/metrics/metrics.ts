import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type Clock, createSystemClock } from '../clock/clock.ts';
import { kindOfRequest, ProcessStatistics } from '../statistics/index.ts';
import { DurationHistogram } from './duration-histogram.ts';

/** From 0.5 ms, a warm key request, to the 5 s after which a state is unknown. */
const requestBucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * The metrics for Prometheus. No label names a content, a viewer or a path: a label's series is kept as long as the
 * process runs.
 */
export interface Metrics {
  registry: Registry;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
  /** `served`, or the code of the refusal. */
  countKeyRequest(outcome: string): void;
  /** `served`, or the code of the refusal. */
  countPlaylist(outcome: string): void;
  countCacheLookup(cache: string, hit: boolean): void;
  revocationDelay: Histogram;
  upstreamErrors: Counter<'upstream'>;
  /**
   * Requests that were answered 503 without being sent to a service: `no_address`, `line_full` or `waited_too_long`; or, with the upstream
   * `own`, because more come than this process can serve: `overloaded`.
   */
  shedRequests: Counter<'upstream' | 'reason'>;
  activeLeases: Gauge;
  /** The last hour, for the dashboard: Prometheus keeps its own. */
  statistics: ProcessStatistics;
}

export function createMetrics(clock: Clock = createSystemClock()): Metrics {
  const statistics = new ProcessStatistics(clock);
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new DurationHistogram(
    'http_server_request_duration_seconds',
    'Duration of HTTP requests by route pattern, method and status.',
    ['route', 'method', 'status'],
    requestBucketsSeconds,
    registry,
  );
  const keyRequests = new Tally(
    'latchkey_key_requests_total',
    'Key requests by outcome.',
    'outcome',
    registry,
  );
  const playlists = new Tally(
    'latchkey_playlists_total',
    'Requests for playlists of session URLs by outcome.',
    'outcome',
    registry,
  );
  const hits = new Tally('latchkey_cache_hits_total', 'States that were known, by cache.', 'cache', registry);
  const misses = new Tally(
    'latchkey_cache_misses_total',
    'States that had to be read, by cache.',
    'cache',
    registry,
  );
  return {
    registry,
    statistics,
    observeRequest: createRequestObserver(requests, statistics),
    countKeyRequest: (outcome) => keyRequests.add(outcome),
    countPlaylist: (outcome) => playlists.add(outcome),
    countCacheLookup: (cache, hit) => (hit ? hits : misses).add(cache),
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
    shedRequests: new Counter({
      name: 'latchkey_shed_requests_total',
      help: 'Requests answered 503 without being sent to a service or decided, by reason.',
      labelNames: ['upstream', 'reason'],
      registers,
    }),
    activeLeases: new Gauge({
      name: 'latchkey_active_leases',
      help: 'Leases that are neither expired nor revoked.',
      registers,
    }),
  };
}

/**
 * A counter whose increments cost one addition, for the path of a key request. It is converted to Prometheus' form when
 * read.
 */
class Tally {
  readonly #counts = new Map<string, { value: number }>();

  constructor(name: string, help: string, label: string, registry: Registry) {
    const counts = this.#counts;
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        for (const [text, { value }] of counts) this.inc({ [label]: text }, value);
      },
    });
  }

  add(label: string): void {
    const count = this.#counts.get(label);
    if (count) count.value++;
    else this.#counts.set(label, { value: 1 });
  }
}

/** A route has answers of few statuses and methods, so each is found by comparing, without a text made for each request. */
interface ObservedKind {
  method: string;
  status: number;
  observe: (seconds: number) => void;
}

function createRequestObserver(
  requests: DurationHistogram,
  statistics: ProcessStatistics,
): Metrics['observeRequest'] {
  const routes = new Map<string, ObservedKind[]>();

  function open(route: string, method: string, status: number): ObservedKind {
    const observe = requests.open({ route, method, status: String(status) });
    const kind = kindOfRequest(route, method);
    return {
      method,
      status,
      observe(seconds) {
        observe(seconds);
        statistics.countRequest(kind, status, seconds);
      },
    };
  }

  return (route, method, status, seconds) => {
    let kinds = routes.get(route);
    if (!kinds) {
      kinds = [];
      routes.set(route, kinds);
    }
    let kind = kinds.find((known) => known.status === status && known.method === method);
    if (!kind) {
      kind = open(route, method, status);
      kinds.push(kind);
    }
    kind.observe(seconds);
  };
}

/** The metrics of a process at one instant, in a form that crosses processes. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics of several processes as those of one: counts are added up, and gauges as each says. */
export function addUpMetrics(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots]);
}

/** Metrics that only grow. They must not shrink when a process ends. */
export function totalsOf(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

interface MetricsListener {
  port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics` on a separate listener, so that the port for players never shows it.
 *
 * @throws the listener's error, such as EADDRINUSE, with `listener: 'metrics'`, which means METRICS_PORT and not PORT
 */
export async function startMetricsListener(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  host: string,
  port: number,
): Promise<MetricsListener> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await registry.metrics();
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(Object.assign(error, { listener: 'metrics' })));
    server.listen(port, host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
