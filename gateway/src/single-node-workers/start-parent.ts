import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { readStartWarning, toSetupSecrets } from '@latchkey/auth';
import { createLocalPace, type PacedKey } from '@latchkey/key-derivation';
import { createInProcessBus } from '@latchkey/shared/events';
import { type App, createWindowCounter } from '@latchkey/shared/http';
import type { Readiness } from '@latchkey/shared/lifecycle';
import { canShareLog, createStderrWriter, openLogStream } from '@latchkey/shared/log';
import { boundCaches, planCaches, readProcessMemory } from '@latchkey/shared/memory';
import { busFaultMessage, createServiceProcess } from '@latchkey/shared/process';
import { judgeConfiguration } from '@latchkey/shared/statistics';
import packageJson from '../../package.json' with { type: 'json' };
import {
  announce,
  countWorkers,
  createNodeMetrics,
  endStartUp,
  listenForMetrics,
  mountServices,
  openSingleNode,
  type SingleNode,
  type SingleNodeOptions,
} from '../single-node-start.ts';
import { type Announcements, createAnnouncements } from './announcements.ts';
import { createOutput } from './output.ts';
import type { WorkerTask } from './pool-worker.ts';
import { createWorkerFigures, type WorkerFigures } from './worker-figures.ts';
import { sharedLogFd, WorkerPool } from './worker-pool.ts';

/** Loopback: workers are on this machine. The secret keeps other users of the machine from it. */
const internalHost = '127.0.0.1';
const closeTimeoutMs = 10_000;
/** Longer than a worker's own end, which the pool cuts off. */
const workersEndMs = 20_000;

/**
 * Starts a single node of several processes. This one owns the database, auth, content, leases and the change feed. The workers share the
 * port: each is a gateway with key-derivation mounted, and forwards everything else to this process.
 *
 * @throws as `startSingleNode`, and WorkerEnded
 */
export async function startWithWorkers(options: SingleNodeOptions): Promise<SingleNode> {
  const { log, shutdown } = options;
  const { base, rows, values, masterKeys } = await openSingleNode(options);
  const secret = randomBytes(32).toString('hex');
  const internalSecret = { reveal: () => secret };
  const count = countWorkers(values);
  const own = createNodeMetrics(base);
  // Workers count the requests of clients. Theirs to this process would be counted twice.
  const metrics = { ...own, observeRequest: () => {} };
  metrics.statistics.warnings = () => judgeConfiguration(values);
  const announcements = createAnnouncements(createInProcessBus((error) => base.warn(busFaultMessage, error)));
  const service = await createServiceProcess({
    ...values,
    name: 'single node',
    version: packageJson.version,
    internalSecret,
    publicUrl: values.publicUrl ?? null,
    base,
    metrics,
  });
  const { app, readiness } = service;
  waitForWorkers(app, announcements);
  const figures = createWorkerFigures(() => pool.all(), metrics.registry);
  await mountServices({
    context: { ...base, app, metrics, isSeparate: true, processes: count + 1 },
    values: { ...values, internalSecret },
    rows: { ...rows, bus: announcements.bus },
    masterKeys,
    readiness,
    gatherWorkers: figures.gather,
  });
  await app.listen({ host: internalHost, port: 0 });
  shutdown.add('requests under way', closeTimeoutMs, () => app.close());
  service.openForRequests();
  endStartUp();

  const { port: internalPort } = app.server.address() as AddressInfo;
  const task: WorkerTask = {
    parentUrl: `http://${internalHost}:${internalPort}`,
    secret,
    count,
    logFd: canShareLog(process.stdout, process.platform) ? sharedLogFd : null,
    logFormat: process.stderr.isTTY ? 'plain' : 'json',
  };
  const warning = await readStartWarning(rows.db, toSetupSecrets(values), values, options.clock.now());
  const pool = openPool({ task, options, announcements, figures, ready: readiness.report });
  shutdown.add('the workers', workersEndMs, () => pool.end());
  const port = await pool.start();
  await listenForMetrics(options, values, figures);
  return {
    drain() {
      readiness.drain();
      pool.drain();
    },
    values,
    metrics,
    replaceWorkers() {
      log.info('SIGHUP: replacing the workers, one after the other');
      return pool.roll();
    },
    announce: () => announce(log, values, port, warning),
  };
}

interface PoolParts {
  task: WorkerTask;
  options: SingleNodeOptions;
  announcements: Announcements;
  figures: WorkerFigures;
  ready: Readiness['report'];
}

/** The workers, and what this process does for them: it keeps the paces, counts for the rate limits, and joins the lines that they do not write themselves. */
function openPool({ task, options, announcements, figures, ready }: PoolParts): WorkerPool {
  const { clock, log, shutdown } = options;
  const pace = createLocalPace(clock, planCaches(boundCaches(readProcessMemory()) / (task.count + 1)).paces);
  const countRequest = createWindowCounter(clock);
  const stream = openLogStream(process.stdout.fd);
  shutdown.add('the request lines of workers', 1_000, () => stream.end());
  const output = createOutput((text) => stream.write(text));
  const errorOutput = createOutput(createStderrWriter(process.stderr));
  return new WorkerPool({
    task,
    startsAtOnce: availableParallelism(),
    log,
    announcements,
    handlers: {
      pace: (key: PacedKey) => pace.take(key),
      lookAtPace: (key: PacedKey) => pace.look(key),
      count: ({ sender, windowMs }: { sender: string; windowMs: number }) => countRequest(sender, windowMs),
      ready,
    },
    onTotals: figures.note,
    onEnd(id) {
      figures.retire(id);
      output.end(id);
      errorOutput.end(id);
    },
    onOutput: output.write,
    onErrorOutput: errorOutput.write,
  });
}

/** Once an act is answered, no worker goes by what was before it. */
function waitForWorkers(app: App, { settled }: Announcements): void {
  app.addHook('onSend', (_request, _reply, _payload, done) => {
    const outstanding = settled();
    if (outstanding) void outstanding.then(() => done());
    else done();
  });
}
