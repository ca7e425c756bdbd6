import { randomBytes, randomUUID } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import {
  createApiKeyVerifier,
  mount as mountAuth,
  readStartWarning,
  readStoredWarnings,
  type SetupSecrets,
  toSetupSecrets,
} from '@latchkey/auth';
import {
  createContentReader,
  createImportedKeyReader,
  createImportedKeyStore,
  mount as mountContent,
} from '@latchkey/content';
import { type MasterKeyRing, mount as mountKeyDerivation } from '@latchkey/key-derivation';
import { createLeaseReader, mount as mountLeases } from '@latchkey/leases';
import { mount as mountPlayback } from '@latchkey/playback';
import { type SingleNodeValues, singleNodeSettings } from '@latchkey/shared/config';
import {
  type Database,
  findFilesOpenToAll,
  migrate,
  openDatabase,
  openPostgresOptions,
  readDatabaseSize,
} from '@latchkey/shared/db';
import { type App, addGuard, addRefusalAudit } from '@latchkey/shared/http';
import { createSessionUses } from '@latchkey/shared/internal';
import type { Readiness } from '@latchkey/shared/lifecycle';
import type { OperatorLog } from '@latchkey/shared/log';
import { toUrlHost } from '@latchkey/shared/net';
import {
  createServiceCore,
  listenForMetrics,
  listenForRequests,
  type MountedApp,
  type ProcessContext,
  runProcess,
  runSessionUses,
  runUsage,
  type StartContext,
} from '@latchkey/shared/process';
import { addRows, openRows, type RowCore, type Rows } from '@latchkey/shared/process/service-database';
import { judgeConfiguration, stepsKept } from '@latchkey/shared/statistics';
import packageJson from '../package.json' with { type: 'json' };
import { createGatewayHost, openRequestLog } from './gateway-host.ts';
import {
  describeNodeSettings,
  type NodeConfiguration,
  readNodeConfiguration,
  settleMasterKeys,
} from './single-node-first-run.ts';
import { beginningOf, composeStatistics, type Shown } from './statistics/compose-statistics.ts';
import { type Statistics, statisticsPath, statisticsRoute } from './statistics/statistics-schema.ts';

type NodeContext = StartContext<SingleNodeValues, NodeConfiguration>;

/**
 * Opens and migrates the database, checks the master keys, then mounts the host and every service.
 *
 * @throws MasterKeyMismatch, SchemaMissing, UnreleasedSchema, and the errors of the database and the operating system
 */
async function mountSingleNode(context: NodeContext): Promise<MountedApp> {
  const { env, configuration, metrics, log, clock, shutdown } = context;
  const rows = await openRows('single node', context.values, context);
  await migrateOnStart(rows.db, context);
  await rows.checkSchema();
  const reread = () => readNodeConfiguration(env, randomBytes);
  // Another process may have made and stored its secrets at the same time. The stored ones count.
  const { values, masterKeys } = await settleMasterKeys(
    { ...context, reread, base: context, randomId: randomUUID },
    rows.db,
  );
  warnOfOpenFiles(context);
  metrics.statistics.warnings = () => judgeConfiguration(values);
  const variables = describeNodeSettings(env, configuration);
  metrics.statistics.variables = () => variables;
  const app = await createGatewayHost({ ...context, values, requestLog: openRequestLog(context) });
  await mountServices({ ...context, values, app, isSeparate: false }, { rows, masterKeys });
  let port = 0;
  let warning: string | null = null;
  return {
    async listen() {
      await serveMetrics(context);
      await app.ready();
      warning = await readStartWarning(rows.db, toSetupSecrets(values), values, clock.now());
      endStartUp();
      port = await listenForRequests(app, values, shutdown);
    },
    afterListen: () => announce(log, values, port, warning),
  };
}

/**
 * Migrates the database, unless `MIGRATE_ON_START` is off.
 *
 * @throws the error of the migration that failed
 */
async function migrateOnStart(db: Database, { values, log, clock }: NodeContext): Promise<void> {
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

/**
 * Mounts every service on one host. Each gets the objects of the others, where separate services get clients.
 *
 * @throws the errors of the database
 */
export async function mountServices(
  context: ProcessContext & Pick<NodeContext, 'values' | 'readiness'>,
  { rows, masterKeys }: { rows: Rows; masterKeys: MasterKeyRing },
): Promise<void> {
  const { values } = context;
  const { db, checkSchema: _, roster, ...ways } = rows;
  const setup = toSetupSecrets(values);
  const apiKeys = createApiKeyVerifier({
    db,
    clock: context.clock,
    bootstrapKeys: setup.bootstrapKeys,
    onFault: (error) => context.warn('uses of API keys could not be written', error),
  });
  const contents = createContentReader({ db });
  const leases = createLeaseReader({ db, renewGraceSeconds: values.leaseRenewGraceSeconds });
  const readers = { ...ways, apiKeys, contents, importedKeys: createImportedKeyReader({ db }), leases };
  const core = addRows(await createServiceCore(context, values, readers), db, roster);
  await core.follower.pull();
  const readAlerts = await mountStatistics(core, setup, context.readiness);
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

/**
 * The statistics of the single node, where one process has all figures, with what its stores know.
 *
 * @returns reads the problems that the Overview shows
 */
async function mountStatistics(
  { app, db, clock, metrics, guard, refusals }: RowCore<SingleNodeValues>,
  setup: SetupSecrets,
  readiness: Readiness,
): Promise<() => Promise<Statistics['concerns']>> {
  const read = async (shown: Required<Shown>) => {
    const now = clock.now();
    const [ready, stored, database] = await Promise.all([
      readiness.report(),
      readStoredWarnings(db, setup),
      shown.settings ? readDatabaseSize(db) : null,
    ]);
    const report = metrics.statistics.report(beginningOf(now), shown.refusals, shown.settings);
    const gathered = {
      gateway: report,
      replicas: null,
      leases: [report],
      processes: [{ service: 'single node', address: hostname(), report }],
      warnings: [...report.warnings, ...stored],
      ...{ ready, database, missing: [] },
    };
    return composeStatistics(gathered, shown, now);
  };
  await app.register(async (scope: App) => {
    addGuard(scope, guard);
    addRefusalAudit(scope, refusals);
    scope.get(statisticsPath, statisticsRoute, async ({ query }) => {
      const { steps = stepsKept, refusals = 0, settings = false } = query;
      return { statistics: await read({ steps, refusals, settings }) };
    });
  });
  return async () => (await read({ steps: 1, refusals: 0, settings: false })).concerns;
}

/** Warns of files with secrets that every user of the machine may read. */
function warnOfOpenFiles({ configuration: { values, file }, log }: NodeContext): void {
  const { databaseUrl, sqlitePath } = values;
  const ofDatabase = databaseUrl ? [] : [sqlitePath, `${sqlitePath}-wal`, `${sqlitePath}-shm`];
  const open = findFilesOpenToAll([file.path, ...ofDatabase], process.getuid?.());
  if (open.length === 0) return;
  log.warn(
    `every user of this machine may read ${open.join(', ')}, which may hold the secrets of this server. Run: chmod 600 ${open.join(' ')}`,
  );
}

/** Serves the metrics. If METRICS_PORT is not set, the server starts although the port is taken. */
async function serveMetrics({ env, values, metrics, log, shutdown }: NodeContext): Promise<void> {
  try {
    const { port } = await listenForMetrics(metrics.registry, values, shutdown);
    log.info(`metrics on http://${toUrlHost(values.metricsHost)}:${port}/metrics`);
  } catch (error) {
    if (env.METRICS_PORT || env.METRICS_PORT_FILE) throw error;
    log.warn(`no metrics are served: port ${values.metricsPort} is taken. Set METRICS_PORT to a free port`, {
      error,
    });
  }
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

const about = `latchkey, every service in one process on SQLite

  npm start              serves until it is stopped (SIGTERM, SIGINT)
  npm start -- --help    this
  npm start -- --version which release this is

Everything is configured by environment variables. Each of them may come from a file instead: X_FILE names it.`;

if (import.meta.main)
  await runProcess(
    {
      name: 'single-node',
      version: packageJson.version,
      about,
      settings: singleNodeSettings,
      read: (env) => readNodeConfiguration(env, randomBytes),
      mount: mountSingleNode,
    },
    process,
    process.env,
  );
