import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { AppError } from '../errors/errors.ts';
import { type App, addHealthRoutes, addOpenApi, createHost, createMutualTls } from '../http/index.ts';
import {
  addLogHeaders,
  addProcessReportRoute,
  createInternalGate,
  readPersonHeader,
} from '../internal/index.ts';
import type { Readiness } from '../lifecycle/index.ts';
import { normalizeIp } from '../net/index.ts';
import { acceptedSecrets, type Revealable } from '../seal/accepted-secrets.ts';
import { type Phase, phaseHeader } from '../upstream/index.ts';
import { type ListenValues, listen } from './listen.ts';
import type { StartContext } from './run-process.ts';

/** Path prefix of the internal routes. */
const internalPath = '/internal/';

/** The values that the host of a service needs. */
export interface ServiceValues extends ListenValues {
  internalSecret: Revealable<string>;
  /** Optional. Default: none. */
  internalSecretPrevious?: Revealable<readonly string[]>;
  publicUrl?: string | undefined;
  /** `OVERLOAD_DELAY_MS` */
  overloadDelayMs: number | 'off';
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

/** The host of every service in the distributed profile, before its routes are mounted. The gateway in front writes the log line and handles CORS. */
export function createServiceProcess(
  context: Omit<StartContext<ServiceValues>, 'identity' | 'process' | 'env' | 'configuration'>,
) {
  const { values, version, clock, log, tracer, internalTls, metrics, readiness } = context;
  const tls = internalTls && createMutualTls(internalTls);
  const gate = createInternalGate(
    acceptedSecrets(values.internalSecret, values.internalSecretPrevious),
    tls?.whyUntrusted,
  );
  let open = false;
  const app = createHost({
    randomId: randomUUID,
    clientIpOf: (request) => {
      const forwarded = gate.isFromService(request) ? String(request.headers['x-forwarded-for'] ?? '') : '';
      return normalizeIp(forwarded) ?? normalizeIp(request.socket.remoteAddress ?? '') ?? '0.0.0.0';
    },
    personOf: (request) => (gate.isFromService(request) ? readPersonHeader(request.headers) : null),
    requestLog: null,
    operatorLog: log,
    metrics,
    tls,
    // The gateway has decided whether a request is traced. A stranger who reaches a service directly decides nothing.
    tracing: tracer && { tracer, isTrusted: gate.isFromService, beginsTraces: false },
    isDraining: readiness.isDraining,
    overload:
      values.overloadDelayMs === 'off'
        ? undefined
        : { delayMs: values.overloadDelayMs, random: Math.random, nowMs: clock.monotonic },
  });
  gate.addTo(app);
  announcePhase(app, readiness, () => open);
  addLogHeaders(app);
  addOpenApi(app, { version, publicUrl: values.publicUrl ?? null, clock });
  addHealthRoutes(app, { version, readiness, clock });
  addProcessReportRoute(app, metrics.statistics);

  return {
    app,
    /** Until it is opened, every route but health and readiness answers 503: the service waits for a dependency. */
    openForRequests(): void {
      readiness.discardResults();
      open = true;
    },
    listen: () => listen(app, context, { isTls: tls !== null }),
  };
}
