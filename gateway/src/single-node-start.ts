import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createApiKeyVerifier, mount as mountAuth, readStartWarning, toSetupSecrets } from '@latchkey/auth';
import {
  createContentReader,
  createImportedKeyReader,
  createImportedKeyStore,
  mount as mountContent,
} from '@latchkey/content';
import { type MasterKeyRing, mount as mountKeyDerivation } from '@latchkey/key-derivation';
import { createLeaseReader, mount as mountLeases } from '@latchkey/leases';
import { mount as mountPlayback } from '@latchkey/playback';
import type { Clock } from '@latchkey/shared/clock';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { type Database, migrate, openDatabase, openPostgresOptions } from '@latchkey/shared/db';
import { createSessionUses } from '@latchkey/shared/internal';
import { createLoggedReadiness, type Readiness, type Shutdown } from '@latchkey/shared/lifecycle';
import type { OperatorLog, RequestLog } from '@latchkey/shared/log';
import { createMetrics, type Metrics, startMetricsListener } from '@latchkey/shared/metrics';
import { toUrlHost } from '@latchkey/shared/net';
import {
  createProcessBase,
  createServiceCore,
  exportReadiness,
  openTracer,
  type ProcessBase,
  type ProcessContext,
  runSessionUses,
  runUsage,
} from '@latchkey/shared/process';
import { addRows, openRows, type Rows } from '@latchkey/shared/process/service-database';
import { judgeConfiguration } from '@latchkey/shared/statistics';
import packageJson from '../package.json' with { type: 'json' };
import { createGateway } from './gateway.ts';
import { type NodeConfiguration, settleMasterKeys } from './single-node-first-run.ts';
import { mountStatistics } from './single-node-statistics.ts';
import { warnOfOpenFiles } from './warn-of-open-files.ts';

const closeTimeoutMs = 10_000;

export interface SingleNodeOptions {
  configuration: NodeConfiguration;
  /** Reads the configuration again: another first run may have kept its secrets meanwhile. */
  reread: () => NodeConfiguration;
  /** Whether METRICS_PORT is set. If not, the server starts although the port is taken. */
  metricsPortWasSet: boolean;
  clock: Clock;
  log: OperatorLog;
  requestLog: RequestLog;
  shutdown: Shutdown;
}

export interface SingleNode {
  drain(): void;
  /** Those in use. */
  values: SingleNodeValues;
  metrics: Pick<Metrics, 'countConfigurationRead' | 'statistics'>;
  /** Logs where it serves. Call it after the handlers of signals are set, because a signal may follow at once. */
  announce: () => void;
}

/** A single node before it has a host. */
interface OpenedNode {
  base: ProcessBase;
  rows: Rows;
  values: SingleNodeValues;
  masterKeys: MasterKeyRing;
}

/**
 * Opens the database, migrates it and checks the master keys.
 *
 * @throws MasterKeyMismatch, SchemaMissing, and the errors of the database and the operating system
 */
async function openSingleNode(options: SingleNodeOptions): Promise<OpenedNode> {
  const { clock, log, shutdown } = options;
  const given = options.configuration.values;
  const base = createProcessBase({ clock, log, shutdown });
  base.tracer = await openTracer('single-node', packageJson.version, given, base);
  const rows = await openRows('single node', given, base);
  await migrateOnStart(rows.db, given, options);
  await rows.checkSchema();
  const { values, masterKeys } = await settleMasterKeys({ ...options, base, randomId: randomUUID }, rows.db);
  warnOfOpenFiles(options);
  return { base, rows, values, masterKeys };
}

/**
 * Mounts every service and listens. `shutdown` closes all of it.
 *
 * @throws as `openSingleNode`
 */
export async function startSingleNode(options: SingleNodeOptions): Promise<SingleNode> {
  const { clock, log, shutdown, requestLog } = options;
  const { base, rows, values, masterKeys } = await openSingleNode(options);
  const metrics = createMetrics(clock, {
    service: 'single-node',
    version: packageJson.version,
    registry: base.registry,
  });
  metrics.statistics.warnings = () => judgeConfiguration(values);
  const readiness = createLoggedReadiness(base.dependencies, base);
  exportReadiness(metrics.registry, readiness);
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
    overloadDelay: values.overloadDelay,
    tracer: base.tracer,
    trustTraceparent: values.trustTraceparent,
  });
  const context = { ...base, app, metrics, isSeparate: false };
  await mountServices({ context, values, rows, masterKeys, readiness });
  await listenForMetrics(options, values, metrics.registry);
  await app.ready();
  const warning = await readStartWarning(rows.db, toSetupSecrets(values), values, clock.now());
  endStartUp();
  await app.listen({ host: values.host, port: values.port });
  shutdown.add('requests under way', closeTimeoutMs, () => app.close());
  const { port } = app.server.address() as AddressInfo;
  return {
    drain: readiness.drain,
    values,
    metrics,
    announce: () => announce(log, values, port, warning),
  };
}

/**
 * Keeps the compiled code for the next start, and returns the memory that only the start needed. Both block for some 100 ms,
 * so they come before the first request. Without `NODE_COMPILE_CACHE` and `--expose-gc` they do nothing.
 */
function endStartUp(): void {
  // By itself Node writes the code at its end, which a killed process does not reach.
  flushCompileCache();
  globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}

async function listenForMetrics(
  options: Pick<SingleNodeOptions, 'log' | 'shutdown' | 'metricsPortWasSet'>,
  values: SingleNodeValues,
  registry: Metrics['registry'],
): Promise<void> {
  const { log, shutdown } = options;
  try {
    const listener = await startMetricsListener(registry, values.metricsHost, values.metricsPort);
    shutdown.add('the metrics', 1_000, () => listener.close());
    log.info(`metrics on http://${toUrlHost(values.metricsHost)}:${listener.port}/metrics`);
  } catch (error) {
    if (options.metricsPortWasSet) throw error;
    log.warn(`no metrics are served: port ${values.metricsPort} is taken. Set METRICS_PORT to a free port`, {
      error,
    });
  }
}

/**
 * @param port that it listens on
 * @param warning of `readStartWarning`
 */
function announce(log: OperatorLog, values: SingleNodeValues, port: number, warning: string | null): void {
  const url = `http://${values.host === '0.0.0.0' || values.host === '::' ? 'localhost' : toUrlHost(values.host)}:${port}`;
  log.info(
    `Latchkey ${packageJson.version} serves on ${url} (dashboard: ${url}/admin, API: ${url}/openapi.json)`,
  );
  if (warning) log.warn(warning);
}

/**
 * Migrates the database, unless `MIGRATE_ON_START` is off.
 *
 * @throws the error of the migration that failed
 */
async function migrateOnStart(
  db: Database,
  values: SingleNodeValues,
  { log, clock }: Pick<SingleNodeOptions, 'log' | 'clock'>,
): Promise<void> {
  const { migrateOnStart, databaseUrl, sqlitePath } = values;
  if (!migrateOnStart) return;
  // Statements of requests have a time limit that a migration of many rows would exceed. SQLite has no such limit.
  const patient = databaseUrl
    ? openDatabase({
        ...openPostgresOptions(values, { now: clock.now, onFault: () => {} }),
        ...{ databaseUrl: databaseUrl.reveal(), sqlitePath, longStatements: true },
      })
    : db;
  try {
    const applied = await migrate(patient);
    if (applied.length > 0) log.info(`the database was migrated: ${applied.join(', ')}`);
  } finally {
    if (patient !== db) await patient.destroy();
  }
}

interface SingleNodeParts {
  context: ProcessContext;
  values: SingleNodeValues;
  rows: Rows;
  masterKeys: MasterKeyRing;
  readiness: Readiness;
}

/**
 * Mounts every service on one host. Each gets the objects of the others, where separate services get clients.
 *
 * @throws the errors of the database
 */
export async function mountServices(parts: SingleNodeParts): Promise<void> {
  const { context, values, rows, masterKeys } = parts;
  const { db, checkSchema: _, ...ways } = rows;
  const setup = toSetupSecrets(values);
  const apiKeys = createApiKeyVerifier({
    db,
    clock: context.clock,
    bootstrapKeys: () => setup.bootstrapKeys,
    onFault: (error) => context.warn('uses of API keys could not be written', error),
  });
  const contents = createContentReader({ db });
  const leases = createLeaseReader({ db, renewGraceSeconds: values.leaseRenewGraceSeconds });
  const readers = { ...ways, apiKeys, contents, importedKeys: createImportedKeyReader({ db }), leases };
  const core = addRows(await createServiceCore(context, values, readers), db);
  await core.follower.pull();
  const readAlerts = await mountStatistics(core, setup, parts.readiness);
  runUsage(await mountAuth(core, { apiKeys, readAlerts }), core);
  await mountContent(core, { contents });
  const report = await mountLeases(core, { leases, contents });
  const uses = createSessionUses({
    report,
    onFault: (error) => context.warn('uses of sessions could not be written; they are written again', error),
  });
  runSessionUses(uses, core);
  const { noteUse } = uses;
  await mountPlayback(core, { noteUse });
  // The master keys were checked before: `settleMasterKeys`.
  const keyStores = { contents, importedKeys: createImportedKeyStore(core), refusals: core.refusals };
  await mountKeyDerivation(core, { masterKeys, noteUse, ...keyStores });
  // The database and its schema were there: a single node does not start without them.
  context.startUp.end();
}
