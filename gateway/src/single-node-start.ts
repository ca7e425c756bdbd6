import { randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  createApiKeyVerifier,
  mount as mountAuth,
  readStartWarning,
  readStoredWarnings,
  type SetupSecrets,
  toSetupSecrets,
} from '@latchkey/auth';
import { createContentReader, mount as mountContent } from '@latchkey/content';
import { type MasterKeyRing, mount as mountKeyDerivation } from '@latchkey/key-derivation';
import { createLeaseReader, mount as mountLeases } from '@latchkey/leases';
import type { Clock } from '@latchkey/shared/clock';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { cleanAudit, type Database, findFilesOpenToAll, migrate, openDatabase } from '@latchkey/shared/db';
import { type App, addGuard, addRefusalAudit } from '@latchkey/shared/http';
import { createLoggedReadiness, type Readiness, type Shutdown } from '@latchkey/shared/lifecycle';
import type { OperatorLog, RequestLog } from '@latchkey/shared/log';
import { createMetrics, type Metrics, startMetricsListener } from '@latchkey/shared/metrics';
import { createProcessBase, createServiceCore, type ProcessContext } from '@latchkey/shared/process';
import { addRows, openRows, type RowCore, type Rows } from '@latchkey/shared/process/rows';
import { judgeConfiguration } from '@latchkey/shared/statistics';
import packageJson from '../package.json' with { type: 'json' };
import { createGateway } from './gateway.ts';
import { type NodeConfiguration, settleMasterKeys } from './single-node-first-run.ts';
import { addOwnStatistics } from './statistics/add-own-statistics.ts';

const closeTimeoutMs = 10_000;

interface SingleNodeOptions {
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

interface SingleNode {
  app: App;
  /** Where it listens, such as `http://127.0.0.1:4100`. */
  url: string;
  drain(): void;
}

/**
 * Opens the database, checks the master keys, mounts every service and listens. `shutdown` closes all of it.
 *
 * @throws MasterKeyMismatch, SchemaMissing, and the errors of the database and the operating system
 */
export async function startSingleNode(options: SingleNodeOptions): Promise<SingleNode> {
  const { clock, log, shutdown, requestLog } = options;
  const given = options.configuration.values;
  const base = createProcessBase({ clock, log, shutdown });
  const rows = await openRows('single node', given, base);
  const { db } = rows;
  await migrateOnStart(db, given, log);
  await rows.checkSchema();
  const { values, masterKeys } = await settleMasterKeys({ ...options, randomId: randomUUID }, db);
  warnOfOpenFiles(options);

  const metrics = createMetrics(clock);
  metrics.statistics.warnings.push(...judgeConfiguration(values));
  const readiness = createLoggedReadiness(base.dependencies, clock, log);
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
  });
  const context = { ...base, app, metrics, isSeparate: false };
  await mountServices({ context, values, rows, masterKeys, readiness });
  await listenForMetrics(options, values, metrics);
  await app.ready();
  endStartUp();
  await app.listen({ host: values.host, port: values.port });
  shutdown.add('requests under way', closeTimeoutMs, () => app.close());

  const { port } = app.server.address() as AddressInfo;
  const url = `http://${values.host === '0.0.0.0' || values.host === '::' ? 'localhost' : values.host}:${port}`;
  await announce(options, values, db, url);
  return { app, url, drain: readiness.drain };
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

function warnOfOpenFiles({ configuration, log }: SingleNodeOptions): void {
  const { databaseUrl, sqlitePath } = configuration.values;
  const ofDatabase = databaseUrl ? [] : [sqlitePath, `${sqlitePath}-wal`, `${sqlitePath}-shm`];
  const open = findFilesOpenToAll([configuration.file.path, ...ofDatabase], process.getuid?.());
  if (open.length === 0) return;
  log.warn(
    `every user of this machine may read ${open.join(', ')}, which may hold the secrets of this server. Run: chmod 600 ${open.join(' ')}`,
  );
}

async function listenForMetrics(
  options: SingleNodeOptions,
  values: SingleNodeValues,
  metrics: Metrics,
): Promise<void> {
  const { log, shutdown } = options;
  try {
    const listener = await startMetricsListener(metrics.registry, values.metricsHost, values.metricsPort);
    shutdown.add('the metrics', 1_000, () => listener.close());
    log.info(`metrics on http://${values.metricsHost}:${listener.port}/metrics`);
  } catch (error) {
    if (options.metricsPortWasSet) throw error;
    log.warn(`no metrics are served: port ${values.metricsPort} is taken. Set METRICS_PORT to a free port`, {
      error,
    });
  }
}

async function announce(
  { log, clock }: SingleNodeOptions,
  values: SingleNodeValues,
  db: Database,
  url: string,
): Promise<void> {
  log.info(
    `Latchkey ${packageJson.version} serves on ${url} (dashboard: ${url}/admin, API: ${url}/openapi.json)`,
  );
  const warning = await readStartWarning(db, toSetupSecrets(values), clock.now());
  if (warning) log.warn(warning);
}

/**
 * Migrates the database, unless `MIGRATE_ON_START` is off.
 *
 * @throws the error of the migration that failed
 */
async function migrateOnStart(
  db: Database,
  {
    migrateOnStart,
    databaseUrl,
    sqlitePath,
  }: Pick<SingleNodeValues, 'migrateOnStart' | 'databaseUrl' | 'sqlitePath'>,
  log: OperatorLog,
): Promise<void> {
  if (!migrateOnStart) return;
  // Statements of requests have a time limit that a migration of many rows would exceed. SQLite has no such limit.
  const patient = databaseUrl
    ? openDatabase({ databaseUrl: databaseUrl.reveal(), sqlitePath, longStatements: true })
    : db;
  try {
    const applied = await migrate(patient);
    if (applied.length > 0) log.info(`the database was migrated: ${applied.join(', ')}`);
    await cleanAuditOnStart(patient, log);
  } finally {
    if (patient !== db) await patient.destroy();
  }
}

/** If the database accepts no writes, the server still starts and serves keys. The next start continues. */
async function cleanAuditOnStart(db: Database, log: OperatorLog): Promise<void> {
  try {
    const cleaned = await cleanAudit(db);
    if (cleaned > 0)
      log.info(`removed the credentials that callers had put into ids from ${cleaned} rows of the audit`);
  } catch (error) {
    log.warn(
      'credentials that callers had put into ids could not be removed from the audit; the next start tries again',
      {
        error,
      },
    );
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
  const { context, values, rows, masterKeys, readiness } = parts;
  const { db, checkSchema: _, ...ways } = rows;
  const setup = toSetupSecrets(values);
  const apiKeys = createApiKeyVerifier({
    db,
    clock: context.clock,
    bootstrapKey: setup.bootstrapKey,
    onFault: (error) => context.warn('uses of API keys could not be written', error),
  });
  const contents = createContentReader({ db });
  const leases = createLeaseReader({ db, renewGraceSeconds: values.leaseRenewGraceSeconds });
  const readers = { ...ways, apiKeys, contents, leases };
  const core = addRows(await createServiceCore(context, values, readers), db);
  await core.follower.pull();
  await mountAuth(core, { apiKeys });
  await mountContent(core, { contents });
  await mountLeases(core, { leases, contents });
  // The master keys were checked before: `settleMasterKeys`.
  const answerPlainRequests = await mountKeyDerivation(core, { masterKeys });
  answerPlainRequests();
  await mountStatistics(core, setup, readiness);
}

async function mountStatistics(
  { app, db, clock, metrics, guard, refusals }: RowCore<SingleNodeValues>,
  setup: SetupSecrets,
  readiness: Readiness,
): Promise<void> {
  await app.register(async (scope) => {
    addGuard(scope, guard);
    addRefusalAudit(scope, refusals);
    addOwnStatistics(scope, {
      clock,
      statistics: metrics.statistics,
      report: readiness.report,
      storedWarnings: () => readStoredWarnings(db, setup),
    });
  });
}
