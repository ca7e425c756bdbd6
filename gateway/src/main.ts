import type { AddressInfo } from 'node:net';
import { type Clock, createSystemClock } from '@latchkey/shared/clock';
import {
  corsRule,
  defaultPorts,
  describeVariables,
  gatewayVariables,
  internalVariables,
  listenRule,
  observabilityVariables,
  processVariables,
  readConfig,
  serviceUrlVariables,
  viewerTokenVariables,
  weakSecretRules,
} from '@latchkey/shared/config';
import { createInternalClient } from '@latchkey/shared/internal';
import { createLoggedReadiness, createShutdown, type Shutdown } from '@latchkey/shared/lifecycle';
import {
  createOperatorLog,
  createRepeatedWarnings,
  createRequestLog,
  createStderrWriter,
  type OperatorLog,
} from '@latchkey/shared/log';
import { createMetrics, startMetricsListener } from '@latchkey/shared/metrics';
import { answerFlags, endOnSignals, explainAndExit } from '@latchkey/shared/process';
import { judgeConfiguration } from '@latchkey/shared/statistics';
import { createUpstream, systemLookup, type Upstream } from '@latchkey/shared/upstream';
import packageJson from '../package.json' with { type: 'json' };
import { addForwarding } from './add-forwarding.ts';
import { createGateway } from './gateway.ts';
import { type ServiceName, serviceNames } from './route-table.ts';
import { serviceDependencies } from './service-dependencies.ts';
import { addGatheredStatistics } from './statistics/add-gathered-statistics.ts';

/** Connections to each address of a service: enough for a burst of key requests, few enough for the limit of open files. */
const connections = 128;
/** To each address of auth, for event streams. Auth opens 512 and refuses the next one, so that refusal must reach it. */
const streamConnections = 640;

const settings = {
  ...processVariables(defaultPorts.gateway),
  ...gatewayVariables,
  // With `cookie`, pages of listed origins may send cookies.
  viewerTokenFrom: viewerTokenVariables.viewerTokenFrom,
  ...internalVariables,
  ...serviceUrlVariables,
  ...observabilityVariables('0.0.0.0'),
};

const help = () =>
  `latchkey gateway, which clients call when services run separately\n\n${describeVariables(settings)}`;

async function main(): Promise<void> {
  if (answerFlags(process, { version: packageJson.version, help })) return;
  const { values, warnings } = readConfig(settings, process.env, {
    rules: [corsRule, listenRule, ...weakSecretRules],
  });
  const log = createOperatorLog({
    level: values.logLevel,
    format: process.stderr.isTTY ? 'plain' : 'json',
    write: createStderrWriter(process.stderr),
  });
  for (const warning of warnings) log.warn(warning);
  const clock = createSystemClock();
  const shutdown = createShutdown(log);
  const requestLog = createRequestLog(values.logLevel, process.stdout.fd);
  shutdown.add('the last log lines', 1_000, () => requestLog.flush());
  const metrics = createMetrics(clock);
  metrics.statistics.warnings.push(...judgeConfiguration(values));
  const secret = values.internalSecret.reveal();
  const warn = createRepeatedWarnings(log, clock);
  const onFault = (service: string, error: unknown) => {
    metrics.upstreamErrors.inc({ upstream: service });
    warn(`${service} did not answer`, error);
  };
  const { eventStreams, ...upstreams } = openUpstreams(values, { clock, log, shutdown });
  const readiness = createLoggedReadiness(serviceDependencies(upstreams, secret), clock, log);
  const app = await createGateway({
    version: packageJson.version,
    clock,
    trustProxy: values.trustProxy,
    corsOrigins: values.corsOrigins,
    viewerTokenFrom: values.viewerTokenFrom,
    publicUrl: values.publicUrl ?? null,
    readiness,
    requestLog,
    operatorLog: log,
    metrics,
    serviceDocuments: () => fetchServiceDocuments(upstreams, secret, onFault),
  });
  addGatheredStatistics(app, {
    clock,
    statistics: metrics.statistics,
    report: readiness.report,
    upstreams,
    secret,
    onFault,
  });
  await addForwarding(app, {
    upstreams,
    eventStreams,
    secret,
    clock,
    publicUrl: values.publicUrl ?? null,
    onFault,
    onShed: (upstream, reason) => metrics.shedRequests.inc({ upstream, reason }),
  });
  const listener = await startMetricsListener(metrics.registry, values.metricsHost, values.metricsPort);
  shutdown.add('the metrics', 1_000, () => listener.close());
  await app.listen({ host: values.host, port: values.port });
  shutdown.add('requests under way', 10_000, () => app.close());
  const { port } = app.server.address() as AddressInfo;
  log.info(
    `gateway ${packageJson.version} listens on ${values.host}:${port}, metrics on port ${listener.port}`,
  );
  endOnSignals({ process, drain: readiness.drain, shutdown, log, drainSeconds: values.shutdownDrainSeconds });
}

function openUpstreams(
  values: Record<'authUrls' | 'contentUrls' | 'leasesUrls' | 'keyDerivationUrls', readonly string[]>,
  { clock, log, shutdown }: { clock: Clock; log: OperatorLog; shutdown: Shutdown },
): Record<ServiceName | 'eventStreams', Upstream> {
  const open = (name: string, urls: readonly string[], connectionsToEach = connections) => {
    const upstream = createUpstream({
      urls,
      lookup: systemLookup,
      clock,
      connections: connectionsToEach,
      onFault: (error) => log.warn(`${name} cannot be found`, { error }),
    });
    shutdown.add(`connections to ${name}`, 1_000, () => upstream.close());
    return upstream;
  };
  return {
    auth: open('auth', values.authUrls),
    content: open('content', values.contentUrls),
    leases: open('leases', values.leasesUrls),
    'key-derivation': open('key-derivation', values.keyDerivationUrls),
    eventStreams: open('the event streams of auth', values.authUrls, streamConnections),
  };
}

/**
 * The OpenAPI documents of all services.
 *
 * @throws AppError DEPENDENCY_UNAVAILABLE if one does not answer: half a document would be wrong
 */
function fetchServiceDocuments(
  upstreams: Readonly<Record<ServiceName, Upstream>>,
  secret: string,
  onFault: (service: string, error: unknown) => void,
): Promise<{ paths?: Record<string, unknown> }[]> {
  return Promise.all(
    serviceNames.map((name) =>
      createInternalClient({ name, upstream: upstreams[name], secret, onFault }).get(
        '/openapi.json',
        (document) => document as { paths?: Record<string, unknown> },
      ),
    ),
  );
}

if (import.meta.main) main().catch((error) => explainAndExit(error, process, process.env));
