import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type {
  gatewayVariables,
  internalVariables,
  observabilityVariables,
  processVariables,
  Values,
  viewerTokenVariables,
} from '@latchkey/shared/config';
import { type App, createSetupOriginReader } from '@latchkey/shared/http';
import { createLoggedReadiness, type Readiness, watchStartUp } from '@latchkey/shared/lifecycle';
import { createHidePersons, createRequestLog, type ProcessIdentity } from '@latchkey/shared/log';
import { createMetrics, type Metrics, startMetricsListener } from '@latchkey/shared/metrics';
import { toUrlHost } from '@latchkey/shared/net';
import { describeLostService, exportReadiness, type ProcessBase } from '@latchkey/shared/process';
import { judgeConfiguration } from '@latchkey/shared/statistics';
import packageJson from '../package.json' with { type: 'json' };
import { addForwarding } from './add-forwarding.ts';
import { fetchServiceDocuments } from './fetch-service-documents.ts';
import { createGateway } from './gateway.ts';
import { createUpstreamOpener, openEventStreams, openServices } from './open-upstreams.ts';
import type { Upstreams } from './route-table.ts';
import { serviceDependencies } from './service-dependencies.ts';
import { addGatheredStatistics } from './statistics/add-gathered-statistics.ts';
import { repeatAlertReports } from './statistics/report-alerts.ts';

type FrontDoorValues = Values<
  ReturnType<typeof processVariables> &
    typeof gatewayVariables &
    Pick<typeof viewerTokenVariables, 'viewerTokenFrom'> &
    typeof internalVariables &
    ReturnType<typeof observabilityVariables>
> &
  Record<'authUrls' | 'contentUrls' | 'leasesUrls' | 'playbackUrls', readonly string[]>;

interface FrontDoorOptions {
  /** The name of the program in its log. */
  name: string;
  base: ProcessBase;
  values: FrontDoorValues;
  /** Where keys are derived; null if this process derives them itself. */
  keyDerivationUrls: readonly string[] | null;
  /** The name of this process as a replica that derives keys; null if it does not. */
  ownReplica: string | null;
  /** In every line of both logs. */
  identity: ProcessIdentity;
  /** The file descriptor of the request log. */
  requestLogTo: number;
}

/** What faces the network where services run separately: CORS, the request log, the dashboard, and forwarding. */
export interface FrontDoor {
  app: App;
  metrics: Metrics;
  readiness: Readiness;
  listen(): Promise<void>;
}

/** Prepares everything but listening, so that routes of the process itself can be added. */
export async function openFrontDoor(options: FrontDoorOptions): Promise<FrontDoor> {
  const { name, base, values, keyDerivationUrls, ownReplica } = options;
  const { clock, log, shutdown, warn, dependencies } = base;
  const requestLog = createRequestLog(values.logLevel, options.requestLogTo, {
    identity: options.identity,
    hidePersons: createHidePersons({ clientIp: values.logClientIp, viewerId: values.logViewerId }),
  });
  shutdown.add('the last log lines', 1_000, () => requestLog.flush());
  const { version } = packageJson;
  const metrics = createMetrics(clock, { service: name, version, registry: base.registry });
  metrics.statistics.warnings = () => judgeConfiguration(values);
  const secret = values.internalSecret;
  const publicUrl = values.publicUrl ?? null;
  const onFault = (service: string, error: unknown) => {
    metrics.upstreamErrors.inc({ upstream: service });
    warn(describeLostService(service), error);
  };
  const open = createUpstreamOpener(base);
  const upstreams: Upstreams = {
    ...openServices(open, values),
    ...(keyDerivationUrls ? { 'key-derivation': open('key-derivation', keyDerivationUrls) } : {}),
  };
  dependencies.push(...serviceDependencies(upstreams, secret));
  const readiness = createLoggedReadiness(dependencies, base);
  exportReadiness(metrics.registry, readiness);
  const app = await createGateway({
    version,
    clock,
    trustProxy: values.trustProxy,
    corsOrigins: values.corsOrigins,
    viewerTokenFrom: values.viewerTokenFrom,
    publicUrl,
    readiness,
    requestLog,
    operatorLog: log,
    metrics,
    overloadDelay: values.overloadDelay,
    tracer: base.tracer,
    trustTraceparent: values.trustTraceparent,
    serviceDocuments: () => fetchServiceDocuments(upstreams, secret, onFault),
  });
  const { statistics } = metrics;
  const report = readiness.report;
  const self = { service: name, address: hostname() };
  const figures = { clock, statistics, report, upstreams, self, ownReplica, secret, onFault };
  addGatheredStatistics(app, figures);
  repeatAlertReports(base, figures);
  await addForwarding(app, {
    tracer: base.tracer,
    upstreams,
    eventStreams: openEventStreams(open, values.authUrls),
    secret,
    clock,
    setupOriginOf: createSetupOriginReader(values, clock),
    onFault,
    onShed: (upstream, reason) => metrics.shedRequests.inc({ upstream, reason }),
  });
  return {
    ...{ app, metrics, readiness },
    async listen() {
      await listen(name, app, metrics, options);
      watchStartUp(base.startUp, readiness, log);
    },
  };
}

async function listen(
  name: string,
  app: App,
  metrics: Metrics,
  { base: { log, shutdown }, values }: FrontDoorOptions,
): Promise<void> {
  const listener = await startMetricsListener(metrics.registry, values.metricsHost, values.metricsPort);
  shutdown.add('the metrics', 1_000, () => listener.close());
  await app.listen({ host: values.host, port: values.port });
  shutdown.add('requests under way', 10_000, () => app.close());
  const { port } = app.server.address() as AddressInfo;
  log.info(
    `${name} ${packageJson.version} listens on ${toUrlHost(values.host)}:${port}, metrics on port ${listener.port}`,
  );
}
