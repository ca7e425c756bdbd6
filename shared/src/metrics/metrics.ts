import type { AddressInfo } from 'node:net';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { type Clock, createSystemClock } from '../clock/clock.ts';
import { createServer } from '../net/index.ts';
import { kindOfRequest, ProcessStatistics } from '../statistics/index.ts';
import { addGauge, describeMetric, type NameOf, Tally } from './define-metrics.ts';
import { DurationHistogram } from './duration-histogram.ts';

export { addCustodianMetrics, type CustodianMetrics } from './custodian-metrics.ts';
export { addGauge, describeMetric } from './define-metrics.ts';

/** From 0.5 ms, a warm key request, to the 5 s after which a state is unknown. */
const requestBucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The process that the metrics are of. */
interface MetricsIdentity {
  /** The label `service` of every series: `gateway`, `key-derivation`, …, `single-node`. */
  service: string;
  version: string;
  /** A registry that already has metrics of parts of the process. Optional. Default: a new registry. */
  registry?: Registry;
}

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * The metrics for Prometheus. No label names a content, a viewer or a path: a label's series is kept as long as the
 * process runs.
 *
 * @param identity left out in tests: series then have no label `service`
 */
export function createMetrics(
  clock: Clock = createSystemClock(),
  { service, version, registry = new Registry() }: Partial<MetricsIdentity> = {},
) {
  const statistics = new ProcessStatistics(clock, version);
  if (service !== undefined) registry.setDefaultLabels({ service });
  addProcessMetrics(registry);
  if (version !== undefined)
    addGauge(registry, 'latchkey_build_info', () => [[{ version, node: process.version }, 1]]);
  const count = <Label extends string>(name: NameOf<'counter'>): Counter<Label> =>
    new Counter(describeMetric(name, registry));
  const measure = (name: NameOf<'histogram'>, buckets: number[]) =>
    new Histogram({ ...describeMetric(name, registry), buckets });
  const keyRequests = new Tally('latchkey_key_requests_total', 'outcome', registry);
  const playlists = count('latchkey_playlists_total');
  const hits = new Tally('latchkey_cache_hits_total', 'cache', registry);
  const misses = new Tally('latchkey_cache_misses_total', 'cache', registry);
  const webhookTries = count('latchkey_webhook_tries_total');
  const rateLimited = count('latchkey_rate_limited_requests_total');
  const unknownKeys = count('latchkey_unknown_token_keys_total');
  const requests = new DurationHistogram({
    ...describeMetric('http_server_request_duration_seconds', registry),
    buckets: requestBucketsSeconds,
  });
  const purges = measure(
    'latchkey_purge_duration_seconds',
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
  );
  const purgedRows = count('latchkey_purged_rows_total');
  return {
    registry,
    /** The last hour, for the dashboard: Prometheus keeps its own. */
    statistics,
    /** A step of a purge: how many rows of a table it removed, and for how many milliseconds it held its locks at most. */
    observePurge(table: string, rows: number, heldMs: number): void {
      purges.observe({ table }, heldMs / 1_000);
      purgedRows.inc({ table }, rows);
    },
    observeRequest: createRequestObserver(requests, unknownKeys, statistics),
    /** @param outcome `served`, or the code of the refusal */
    countKeyRequest: (outcome: string) => keyRequests.add(outcome),
    /** @param outcome `served`, or the code of the refusal */
    countPlaylist: (outcome: string) => playlists.inc({ outcome }),
    countCacheLookup: (cache: string, hit: boolean) => (hit ? hits : misses).add(cache),
    /** @param limit which limit a request exceeded */
    countRateLimited: (limit: string) => rateLimited.inc({ limit }),
    revocationDelay: measure(
      'latchkey_revocation_delay_seconds',
      [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    ),
    upstreamErrors: count<'upstream'>('latchkey_upstream_errors_total'),
    /**
     * Requests that were answered 503 without being sent to a service: `no_address`, `line_full` or `waited_too_long`; or, with the upstream
     * `own`, because more come than this process can serve: `overloaded`.
     */
    shedRequests: count<'upstream' | 'reason'>('latchkey_shed_requests_total'),
    /** Refusals that could not be written to the audit, and runs that could not forward it. */
    auditFailures: count('latchkey_audit_failures_total'),
    /** Counts a try to send a message of a webhook, by its outcome. */
    countWebhookTry: (outcome: 'delivered' | 'retried' | 'failed') => webhookTries.inc({ outcome }),
    /** Exports how many messages of webhooks wait. */
    watchWebhooks: (readPending: () => Promise<number>) =>
      addGauge(registry, 'latchkey_webhook_messages_waiting', readPending),
  };
}

/** Gauges whose names end in `_total`, which is for counters. The same numbers are in metrics without that ending, by type. */
const misnamed = [
  'nodejs_active_resources_total',
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
];

/**
 * How often the delay of the event loop is looked at, which is in each figure of it. With the 10 ms of prom-client a process without requests
 * spends a quarter of its processor time on that; delays that matter are above 100 ms (`docs/reference/metrics.md`).
 */
const delayEveryMs = 20;

/** Adds the figures of the process and of Node. */
function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: delayEveryMs });
  for (const name of misnamed) registry.removeSingleMetric(name);
}

/** A route has answers of few statuses and methods, so each is found by comparing, without a text made for each request. */
interface ObservedKind {
  method: string;
  status: number;
  observe: (seconds: number, isUnknownKey: boolean) => void;
}

/** The status that requests with an unknown key are counted by on the dashboard, so that strangers cause no alert of failures. */
const refusedStatus = 401;

/** @param isUnknownKey whether it got 503 because of the key that its token names, as anybody can bring about */
type ObserveRequest = (
  route: string,
  method: string,
  status: number,
  seconds: number,
  isUnknownKey?: boolean,
) => void;

function createRequestObserver(
  requests: DurationHistogram,
  unknownKeys: Counter,
  statistics: ProcessStatistics,
): ObserveRequest {
  const routes = new Map<string, ObservedKind[]>();

  function open(route: string, method: string, status: number): ObservedKind {
    const observe = requests.open({ route, method, status: String(status) });
    const kind = kindOfRequest(route, method);
    return {
      method,
      status,
      observe(seconds, isUnknownKey) {
        observe(seconds);
        if (isUnknownKey) unknownKeys.inc({ route });
        statistics.countRequest(kind, isUnknownKey ? refusedStatus : status, seconds);
      },
    };
  }

  return (route, method, status, seconds, isUnknownKey = false) => {
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
    kind.observe(seconds, isUnknownKey);
  };
}

/** A scrape is a request without a body, and its answer is read at once. Prometheus gives up after 10 s (`scrape_timeout`). */
const listenerLimits = { requestTimeout: 15_000, headersTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/**
 * Serves `GET /metrics` on a separate listener, so that the port for players never shows it.
 *
 * @throws the listener's error, such as EADDRINUSE, with `listener: 'metrics'`, which means METRICS_PORT and not PORT
 */
export async function startMetricsListener(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  host: string,
  port: number,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(listenerLimits, async (request, response) => {
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
  server.setTimeout(listenerLimits.requestTimeout);
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
