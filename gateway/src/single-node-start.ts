import type { AddressInfo } from 'node:net';
import { openSetupWarning, toSetupSecrets } from '@latchkey/auth';
import { createKeyVersionRegistry, knownKeyVersions } from '@latchkey/content';
import {
  checkMasterKeys,
  createMasterKeyRing,
  MasterKeyMismatch,
  type MasterKeyRing,
} from '@latchkey/key-derivation';
import type { Clock } from '@latchkey/shared/clock';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { type Database, nameDatabase } from '@latchkey/shared/db';
import { createMasterKey } from '@latchkey/shared/derivation';
import type { App } from '@latchkey/shared/http';
import { createReadiness, type Readiness, type Shutdown } from '@latchkey/shared/lifecycle';
import type { OperatorLog, RequestLog } from '@latchkey/shared/log';
import { createMetrics, type Metrics, startMetricsListener } from '@latchkey/shared/metrics';
import {
  createSchemaCheck,
  databaseDependencies,
  openServiceDatabase,
  type SchemaCheck,
} from '@latchkey/shared/process';
import { judgeConfiguration } from '@latchkey/shared/statistics';
import packageJson from '../package.json' with { type: 'json' };
import { keepSecrets } from './first-run-secrets.ts';
import { createGateway } from './gateway.ts';
import { migrateOnStart } from './migrate-on-start.ts';
import { mountServices } from './single-node-services.ts';

const closeTimeoutMs = 10_000;

export interface SingleNodeOptions {
  values: SingleNodeValues;
  /** What this run made because it was missing, and where it is kept. */
  secrets: { made: Readonly<Record<string, string>>; path: string };
  /** Whether METRICS_PORT was asked for; if not, a port that is taken is no reason to end. */
  metricsPortWasSet: boolean;
  clock: Clock;
  log: OperatorLog;
  requestLog: RequestLog;
  shutdown: Shutdown;
}

export interface SingleNode {
  app: App;
  /** Where it listens, such as `http://127.0.0.1:4100`. */
  url: string;
  drain(): void;
}

/**
 * Opens the database, checks the master keys, mounts every service and listens. Everything that is opened is registered
 * with `shutdown`.
 *
 * @throws MasterKeyMismatch, SchemaMissing, and whatever the database or the operating system refuses
 */
export async function startSingleNode(options: SingleNodeOptions): Promise<SingleNode> {
  const { values, clock, log, shutdown, requestLog } = options;
  const db = openServiceDatabase(values, { log, shutdown });
  await migrateOnStart(db, values, log);
  const checkSchema = createSchemaCheck(db, nameDatabase(values), log);
  await checkSchema();
  await keepMadeSecrets(options, db);
  const masterKeys = createMasterKeyRing(
    values.masterKeys
      .reveal()
      .map(({ version, masterKey, salt }) => createMasterKey(version, masterKey, salt)),
    log.warn,
  );
  await checkMasterKeys(createKeyVersionRegistry({ db, clock }), masterKeys);

  const metrics = createMetrics(clock);
  metrics.statistics.warnings.push(...judgeConfiguration(values));
  const readiness = createSingleNodeReadiness(db, checkSchema, masterKeys, clock, log);
  const app = await createGateway({
    version: packageJson.version,
    clock,
    trustProxy: values.trustProxy,
    corsOrigins: values.corsOrigins,
    publicUrl: values.publicUrl ?? null,
    readiness,
    requestLog,
    operatorLog: log,
    metrics,
  });
  await mountServices({ app, db, values, masterKeys, clock, metrics, readiness, log, shutdown });
  await listenForMetrics(options, metrics);
  await app.listen({ host: values.host, port: values.port });
  shutdown.add('requests under way', closeTimeoutMs, () => app.close());

  const { port } = app.server.address() as AddressInfo;
  const url = `http://${values.host === '0.0.0.0' || values.host === '::' ? 'localhost' : values.host}:${port}`;
  await announce(options, db, url);
  return { app, url, drain: readiness.drain };
}

/** Keeps what this run made, unless the database shows that there must have been a master key before. */
async function keepMadeSecrets({ secrets, values, log }: SingleNodeOptions, db: Database): Promise<void> {
  const { made, path } = secrets;
  if (Object.keys(made).length === 0) return;
  const known = made.MASTER_KEY_HEX === undefined ? [] : await knownKeyVersions(db);
  if (known.length > 0) throw new MasterKeyMismatch(known, path);
  if (values.sqlitePath === ':memory:') return;
  keepSecrets(path, made);
  log.warn(
    `made ${Object.keys(made).join(', ')} and wrote them to ${path}. LOSING THAT FILE LOSES THE CONTENT: back it up`,
  );
}

function createSingleNodeReadiness(
  db: Database,
  checkSchema: SchemaCheck,
  masterKeys: MasterKeyRing,
  clock: Clock,
  log: OperatorLog,
): Readiness {
  return createReadiness(
    [
      ...databaseDependencies(db, clock, checkSchema),
      // Both live in this process: they are there as long as it is.
      { name: 'bus', check: async () => ({ kind: 'in-process' }) },
      { name: 'cache', check: async () => ({ kind: 'in-process' }) },
      // A version that is missing is shown, and the others are served all the same.
      { name: 'master-key', optional: true, check: async () => masterKeys.facts() },
    ],
    clock,
    (dependency, error) => log.error(`${dependency} is down`, { error }),
    (dependency) => log.info(`${dependency} is up again`),
  );
}

async function listenForMetrics(options: SingleNodeOptions, metrics: Metrics): Promise<void> {
  const { values, log, shutdown } = options;
  try {
    const listener = await startMetricsListener(metrics.registry, values.metricsHost, values.metricsPort);
    shutdown.add('the metrics', 1_000, () => listener.close());
    log.info(`metrics on http://${values.metricsHost}:${listener.port}/metrics`);
  } catch (error) {
    if (options.metricsPortWasSet) throw error;
    log.warn(`no metrics: port ${values.metricsPort} is taken. METRICS_PORT names another`, { error });
  }
}

async function announce({ values, log }: SingleNodeOptions, db: Database, url: string): Promise<void> {
  log.info(
    `Latchkey ${packageJson.version} serves on ${url} (dashboard: ${url}/admin, API: ${url}/openapi.json)`,
  );
  const warning = await openSetupWarning(db, toSetupSecrets(values));
  if (warning) log.warn(warning);
}
