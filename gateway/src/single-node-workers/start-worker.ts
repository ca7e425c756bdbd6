import type { AddressInfo } from 'node:net';
import {
  checkMasterKeys,
  createRemotePace,
  mount as mountKeyDerivation,
  openMasterKeyRing,
  type PacedKey,
  type PaceState,
} from '@latchkey/key-derivation';
import type { Clock } from '@latchkey/shared/clock';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { type App, type CountRequest, createSetupOriginReader } from '@latchkey/shared/http';
import {
  createContentClient,
  createFeedClient,
  createImportedKeyClient,
  createKeyVersionClient,
  createLeaseClient,
  createRefusalClient,
} from '@latchkey/shared/internal';
import type { Readiness, ReadyReport, Shutdown } from '@latchkey/shared/lifecycle';
import type { OperatorLog, RequestLog } from '@latchkey/shared/log';
import type { Metrics } from '@latchkey/shared/metrics';
import {
  connectApiKeys,
  connectService,
  connectSessionUses,
  connectUsage,
  createProcessBase,
  createServiceCore,
  describeLostService,
  openTracer,
  type ProcessContext,
} from '@latchkey/shared/process';
import { createUpstream, systemLookup } from '@latchkey/shared/upstream';
import packageJson from '../../package.json' with { type: 'json' };
import { addForwarding } from '../add-forwarding.ts';
import { createGateway } from '../gateway.ts';
import { routeTable } from '../route-table.ts';
import { createNodeMetrics, endStartUp } from '../single-node-start.ts';
import { statisticsPath } from '../statistics/add-own-statistics.ts';
import type { Calls } from './calls.ts';
import type { ParentConnection } from './parent-connection.ts';
import type { WorkerTask } from './pool-worker.ts';
import { untilAnswered } from './until-answered.ts';
import type { WorkerTotals } from './worker-figures.ts';

/** As those of the gateway to each address of a service. */
const connections = 128;
const streamConnections = 640;
/** The parent answers within a millisecond. Beyond this a worker decides alone, and a key request has waited long enough. */
const answerLimitMs = 1_000;
/** The checks of a readiness report take 2 s at most. */
const readyLimitMs = 2_500;
/** What a crash loses of the metrics, at most. */
const totalsEveryMs = 2_000;
const closeTimeoutMs = 10_000;

/** What the parent answers. Keys are left out of the upstreams, because a worker serves them itself. */
const forwarded = [...routeTable, { path: statisticsPath, service: 'auth', exact: true }] as const;

interface WorkerOptions {
  values: SingleNodeValues;
  task: WorkerTask;
  parent: ParentConnection;
  clock: Clock;
  log: OperatorLog;
  requestLog: RequestLog;
  shutdown: Shutdown;
}

interface RunningWorker {
  drain(): void;
  sendTotals(): Promise<void>;
}

/**
 * Starts a gateway with key-derivation mounted, and listens on the port that all workers share.
 *
 * @throws MasterKeyMismatch, and the errors of the operating system
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { values, task, parent, clock, log, shutdown } = options;
  const base = createProcessBase({ clock, log, shutdown });
  base.tracer = await openTracer('worker', packageJson.version, values, base);
  const metrics = createNodeMetrics(base);
  const readiness = createParentReadiness(parent.calls);
  const own = { ...values, internalSecret: { reveal: () => task.secret } };
  const app = await createGateway({
    version: packageJson.version,
    clock,
    trustProxy: values.trustProxy,
    corsOrigins: values.corsOrigins,
    viewerTokenFrom: values.viewerTokenFrom,
    publicUrl: values.publicUrl ?? null,
    readiness,
    requestLog: options.requestLog,
    operatorLog: log,
    metrics,
    overloadDelay: values.overloadDelay,
    tracer: base.tracer,
    trustTraceparent: values.trustTraceparent,
    serviceDocuments: async () => [await client.get('/openapi.json', (document) => document as object)],
  });
  const context = { ...base, app, metrics, isSeparate: false, processes: task.count + 1 };
  const client = connectService({ name: 'parent', urls: [task.parentUrl] }, own, context);
  const contents = createContentClient(client);
  const importedKeys = createImportedKeyClient(client);
  const core = await createServiceCore(context, own, {
    feed: createFeedClient([client]),
    bus: parent.bus,
    apiKeys: connectApiKeys(client, base),
    contents,
    importedKeys,
    leases: createLeaseClient(client),
    sharing: null,
    countRequest: createParentCount(parent.calls),
  });
  const masterKeys = await openMasterKeyRing(values, base);
  const answerPlainRequests = await mountKeyDerivation(core, {
    masterKeys,
    noteUse: connectSessionUses(client, core).noteUse,
    ...{ contents, importedKeys, refusals: createRefusalClient(client) },
    openPace(local) {
      const take = (key: PacedKey) => parent.calls.call<number>('pace', key, answerLimitMs);
      const look = (key: PacedKey) => parent.calls.call<PaceState>('lookAtPace', key, answerLimitMs);
      return createRemotePace({ take, look }, local);
    },
  });
  connectUsage(client, core);
  await addParentRoutes(app, context, options);
  await untilAnswered(() => checkMasterKeys(createKeyVersionClient(client), masterKeys));
  answerPlainRequests();
  const sendTotals = reportTo(parent, metrics);
  base.jobs.repeat({ everyMs: totalsEveryMs, run: sendTotals, failed: 'the metrics could not be sent' });
  await app.ready();
  endStartUp();
  // From here on the parent's answers wait for this worker, and the feed is read after that: no change is missed.
  await untilAnswered(() => parent.calls.call('begin', null, answerLimitMs));
  await core.follower.pull();
  base.startUp.end();
  await app.listen({ host: values.host, port: values.port });
  shutdown.add('requests under way', closeTimeoutMs, () => app.close());
  parent.send({ type: 'serving', port: (app.server.address() as AddressInfo).port });
  return { drain: readiness.drain, sendTotals };
}

async function addParentRoutes(
  app: App,
  { clock, warn, metrics, shutdown, tracer }: ProcessContext,
  { task, values }: WorkerOptions,
): Promise<void> {
  const open = (connectionsToParent: number) => {
    const upstream = createUpstream({
      urls: [task.parentUrl],
      lookup: systemLookup,
      clock,
      connections: connectionsToParent,
      onFault: (error) => warn('the parent cannot be found', error),
    });
    shutdown.add('connections to the parent', 1_000, () => upstream.close());
    return upstream;
  };
  const parent = open(connections);
  await addForwarding(app, {
    tracer,
    upstreams: { auth: parent, content: parent, leases: parent, playback: parent },
    eventStreams: open(streamConnections),
    secret: { reveal: () => task.secret },
    clock,
    // The parent also counts the time since its own start, so a worker that is replaced later begins no new exception.
    setupOriginOf: createSetupOriginReader(values, clock),
    routes: forwarded,
    overloadDelay: values.overloadDelay,
    onFault(_service, error) {
      metrics.upstreamErrors.inc({ upstream: 'parent' });
      warn(describeLostService('parent'), error);
    },
    onShed: (_service, reason) => metrics.shedRequests.inc({ upstream: 'parent', reason }),
  });
}

/** Lets the parent read the figures of this worker. @returns a function that sends them */
function reportTo(parent: ParentConnection, metrics: Metrics): () => Promise<void> {
  const readMetrics = () => metrics.registry.getMetricsAsJSON();
  parent.serve('metrics', readMetrics);
  parent.serve('report', ({ since, refusals }: { since: number; refusals: number }) =>
    metrics.statistics.report(since, refusals),
  );
  return async () => {
    const totals: WorkerTotals = { metrics: await readMetrics(), report: metrics.statistics.report(0) };
    await new Promise<void>((resolve) => parent.send({ type: 'totals', totals }, resolve));
  };
}

function createParentCount(calls: Calls): CountRequest {
  return (sender, windowMs) => calls.call('count', { sender, windowMs }, answerLimitMs);
}

/** The parent knows what the node depends on. A worker without it is not ready, and its cached states are unknown in a few seconds. */
function createParentReadiness(calls: Calls): Readiness {
  let draining = false;
  return {
    async report() {
      if (draining) return { ready: false, dependencies: { process: { status: 'down', draining } } };
      return calls
        .call<ReadyReport>('ready', null, readyLimitMs)
        .catch(() => ({ ready: false, dependencies: { parent: { status: 'down' } } }));
    },
    lacksSomething: () => false,
    discardResults: () => {},
    drain() {
      draining = true;
    },
    isDraining: () => draining,
  };
}
