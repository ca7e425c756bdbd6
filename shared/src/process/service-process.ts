import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyReply } from 'fastify';
import { AppError } from '../errors/errors.ts';
import { type App, addHealthRoutes, addOpenApi, createHost, createMutualTls } from '../http/index.ts';
import { addLogHeaders, addProcessReportRoute, createInternalGate } from '../internal/index.ts';
import { createLoggedReadiness, type Readiness, watchStartUp } from '../lifecycle/index.ts';
import { createMetrics, type Metrics, startMetricsListener } from '../metrics/metrics.ts';
import { normalizeIp, toUrlHost } from '../net/index.ts';
import { acceptedSecrets, type Renewable } from '../seal/accepted-secrets.ts';
import { type Phase, phaseHeader } from '../upstream/index.ts';
import { exportReadiness } from './export-gauges.ts';
import type { ProcessBase } from './process-context.ts';

const closeTimeoutMs = 10_000;
/** Path prefix of the internal routes. */
const internalPath = '/internal/';

interface ServiceProcessOptions {
  name: string;
  version: string;
  host: string;
  port: number;
  metricsHost: string;
  metricsPort: number;
  internalSecret: Renewable<string>;
  /** Left out: none. */
  internalSecretPrevious?: Renewable<readonly string[]>;
  publicUrl: string | null;
  /** `OVERLOAD_DELAY_MS` */
  overloadDelay: number | 'off';
  base: ProcessBase;
  /** Its own where it is left out. */
  metrics?: Metrics;
}

/** A service in a separate process, before its routes are mounted. */
export interface ServiceProcess {
  app: App;
  metrics: Metrics;
  readiness: Readiness;
  /** Until it is opened, every route but health and readiness answers 503: the service waits for a dependency. */
  openForRequests(): void;
  listen(): Promise<void>;
}

/** Tells callers when they should ask another process, and refuses what this one cannot answer yet or no longer. */
function announcePhase(app: App, readiness: Readiness, isOpen: () => boolean): void {
  const setPhase = (reply: FastifyReply, phase: Phase) => void reply.header(phaseHeader, phase);
  app.addHook('onRequest', (request, reply, done) => {
    if (readiness.isDraining()) setPhase(reply, 'ending');
    if (request.routeOptions.config.waitsForNothing) return done();
    if (!isOpen()) setPhase(reply, 'starting');
    else if (request.routeOptions.url?.startsWith(internalPath) && readiness.lacksSomething()) {
      // Its rows may be outdated. The caller then asks another address, or answers that the state is unknown.
      setPhase(reply, 'unsure');
    } else return done();
    done(new AppError('DEPENDENCY_UNAVAILABLE'));
  });
}

/** The host of every service in the distributed profile. The gateway in front writes the log line and handles CORS. */
export async function createServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { name, version } = options;
  const { clock, log, shutdown, dependencies, tracer, internalTls } = options.base;
  const metrics =
    options.metrics ?? createMetrics(clock, { service: name, version, registry: options.base.registry });
  const readiness = createLoggedReadiness(dependencies, options.base);
  exportReadiness(metrics.registry, readiness);
  const tls = internalTls && createMutualTls(internalTls);
  const gate = createInternalGate(
    acceptedSecrets(options.internalSecret, options.internalSecretPrevious),
    tls?.whyUntrusted,
  );
  let open = false;
  const app = createHost({
    randomId: randomUUID,
    clientIpOf: (request) => {
      const forwarded = gate.isFromService(request) ? String(request.headers['x-forwarded-for'] ?? '') : '';
      return normalizeIp(forwarded) ?? normalizeIp(request.socket.remoteAddress ?? '') ?? '0.0.0.0';
    },
    requestLog: null,
    operatorLog: log,
    metrics,
    tls,
    // The gateway has decided whether a request is traced. A stranger who reaches a service directly decides nothing.
    tracing: tracer && { tracer, isTrusted: gate.isFromService, beginsTraces: false },
    isDraining: readiness.isDraining,
    overload:
      options.overloadDelay === 'off'
        ? undefined
        : { delayMs: options.overloadDelay, random: Math.random, nowMs: clock.monotonic },
  });
  gate.addTo(app);
  announcePhase(app, readiness, () => open);
  addLogHeaders(app);
  addOpenApi(app, { version, publicUrl: options.publicUrl, clock });
  addHealthRoutes(app, { version, readiness, clock });
  addProcessReportRoute(app, metrics.statistics);

  return {
    app,
    metrics,
    readiness,
    openForRequests() {
      readiness.discardResults();
      open = true;
    },
    async listen() {
      const listener = await startMetricsListener(metrics.registry, options.metricsHost, options.metricsPort);
      shutdown.add('the metrics', 1_000, () => listener.close());
      await app.listen({ host: options.host, port: options.port });
      shutdown.add('requests under way', closeTimeoutMs, () => app.close());
      const { port } = app.server.address() as AddressInfo;
      const how = tls ? ' with TLS' : '';
      log.info(
        `${name} ${version} listens on ${toUrlHost(options.host)}:${port}${how}, metrics on port ${listener.port}`,
      );
      watchStartUp(options.base.startUp, readiness, log);
    },
  };
}
