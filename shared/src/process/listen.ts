import type { AddressInfo } from 'node:net';
import type { App } from '../http/index.ts';
import { type Readiness, type Shutdown, watchStartUp } from '../lifecycle/index.ts';
import { type Metrics, startMetricsListener } from '../metrics/metrics.ts';
import { toUrlHost } from '../net/index.ts';
import type { ProcessBase } from './process-context.ts';

/** For requests that run when the process ends. Above the 7 s that the gateway waits for an answer. */
const closeTimeoutMs = 10_000;

export interface ListenValues {
  host: string;
  port: number;
  metricsHost: string;
  metricsPort: number;
}

interface ListeningProcess extends Pick<ProcessBase, 'log' | 'shutdown' | 'startUp'> {
  name: string;
  version: string;
  values: ListenValues;
  metrics: Pick<Metrics, 'registry'>;
  readiness: Readiness;
}

/** Serves the metrics and the app of a process of the distributed profile, and logs what it still waits for. */
export async function listen(app: App, context: ListeningProcess, { isTls = false } = {}): Promise<void> {
  const { name, version, values, metrics, log, shutdown } = context;
  const listener = await listenForMetrics(metrics.registry, values, shutdown);
  const port = await listenForRequests(app, values, shutdown);
  log.info(
    `${name} ${version} listens on ${toUrlHost(values.host)}:${port}${isTls ? ' with TLS' : ''}, metrics on port ${listener.port}`,
  );
  watchStartUp(context.startUp, context.readiness, log);
}

/** Serves the metrics until the shutdown. */
export async function listenForMetrics(
  registry: Metrics['registry'],
  { metricsHost, metricsPort }: ListenValues,
  shutdown: Shutdown,
): Promise<{ port: number }> {
  const listener = await startMetricsListener(registry, metricsHost, metricsPort);
  shutdown.add('the metrics', 1_000, () => listener.close());
  return listener;
}

/**
 * Serves requests until the shutdown.
 *
 * @returns the port, which the system chooses for 0
 */
export async function listenForRequests(
  app: App,
  { host, port }: ListenValues,
  shutdown: Shutdown,
): Promise<number> {
  await app.listen({ host, port });
  shutdown.add('requests under way', closeTimeoutMs, () => app.close());
  return (app.server.address() as AddressInfo).port;
}
