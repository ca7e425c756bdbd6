import { hostname } from 'node:os';
import { createSystemClock } from '../clock/clock.ts';
import {
  authorityVariables,
  cacheAndBusVariables,
  describeSettings,
  describeVariables,
  type Environment,
  gatewayVariables,
  internalTlsRules,
  internalVariables,
  observabilityVariables,
  processVariables,
  type Rule,
  rateLimitVariables,
  readConfig,
  readsFiles,
  type Secret,
  type Settings,
  sharedDatabaseVariables,
  storeRule,
  type Values,
  viewerTokenVariables,
  weakSecretRules,
} from '../config/index.ts';
import { createShutdown } from '../lifecycle/index.ts';
import { createOperatorLog, createStderrWriter, identifyProcess } from '../log/index.ts';
import { type JudgedValues, judgeConfiguration } from '../statistics/index.ts';
import { answerFlags } from './answer-flags.ts';
import { endOnSignals } from './end-on-signals.ts';
import { explainAndExit } from './explain-refusal.ts';
import { holdHangups } from './hold-hangups.ts';
import { openInternalTls } from './open-internal-tls.ts';
import { openTracer, type TraceSettings } from './open-tracer.ts';
import { createProcessBase, type ProcessContext } from './process-context.ts';
import { createRenewal } from './renew-on-hangup.ts';
import { createServiceProcess } from './service-process.ts';
import { createStart } from './start.ts';

interface ProcessValues extends TraceSettings {
  host: string;
  port: number;
  metricsHost: string;
  metricsPort: number;
  logLevel: string;
  shutdownDrainSeconds: number;
  overloadDelay: number | 'off';
  internalSecret: Secret<string>;
  internalSecretPrevious: Secret<readonly string[]>;
  internalTlsCaFile?: string | undefined;
  internalTlsCertFile?: string | undefined;
  internalTlsKeyFile?: string | undefined;
  publicUrl?: string | undefined;
}

/** What a service is wired from. */
export interface ServiceContext<S extends Settings> extends ProcessContext {
  values: Values<S>;
}

interface RunServiceOptions<S extends Settings> {
  name: string;
  version: string;
  settings: S;
  rules: readonly Rule<Partial<Values<S>>>[];
  /**
   * Mounts the routes.
   *
   * @returns the work that must succeed before requests are answered: it is repeated until it does. An error with `final`
   *   set ends the repetition: the service stays not ready and logs the reason
   */
  mount: (context: ServiceContext<S>) => Promise<() => Promise<void>>;
}

/** Runs one service as a separate process: configuration, adapters, host, listener, and the end in order. */
export async function runService<const S extends Settings>(
  options: RunServiceOptions<S>,
  process: NodeJS.Process,
  env: Environment,
): Promise<void> {
  try {
    await start(options, process, env);
  } catch (error) {
    explainAndExit(error, process, env);
  }
}

async function start<const S extends Settings>(
  options: RunServiceOptions<S>,
  process: NodeJS.Process,
  env: Environment,
): Promise<void> {
  const { name, version, settings, rules } = options;
  const help = () =>
    `latchkey ${name}, a service of the distributed profile\n\n${describeVariables(settings)}`;
  if (answerFlags(process, { version, help })) return;
  const hangups = holdHangups(process, readsFiles(settings, env));
  // Each rule checks its own variables, and is skipped where a service lacks them.
  const weak = [storeRule, ...internalTlsRules, ...weakSecretRules] as unknown as typeof rules;
  const read = () => readConfig(settings, env, { rules: [...rules, ...weak] });
  const { values, warnings } = read();
  const common = values as unknown as ProcessValues;
  const log = createOperatorLog({
    level: common.logLevel,
    format: process.stderr.isTTY ? 'plain' : 'json',
    write: createStderrWriter(process.stderr),
    identity: identifyProcess(name, version, { host: hostname(), pid: process.pid }),
  });
  for (const warning of warnings) log.warn(warning);
  const clock = createSystemClock();
  const shutdown = createShutdown(log);
  const base = createProcessBase({ clock, log, shutdown });
  base.tracer = await openTracer(name, version, common, base);
  base.internalTls = openInternalTls(common, base);
  try {
    const service = await createServiceProcess({
      ...common,
      name,
      version,
      publicUrl: common.publicUrl ?? null,
      base,
    });
    service.metrics.statistics.warnings = () => judgeConfiguration(values as JudgedValues);
    const variables = describeSettings(settings, env);
    service.metrics.statistics.variables = () => variables;
    const prepare = await options.mount({
      ...base,
      app: service.app,
      metrics: service.metrics,
      isSeparate: true,
      values,
    });
    const start = createStart(base.dependencies);
    await service.listen();
    const { readiness } = service;
    endOnSignals({
      process,
      drain: readiness.drain,
      shutdown,
      log,
      drainSeconds: common.shutdownDrainSeconds,
      hangups,
      onHangup: createRenewal({
        ...{ settings, env, values, log, metrics: service.metrics },
        read: () => read().values,
      }),
    });
    await start.finish(prepare, { isDraining: readiness.isDraining, log, startUp: base.startUp });
    if (start.isOver()) service.openForRequests();
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** Settings of every service of the distributed profile. `port` is its default. */
export function serviceSettings(port: number) {
  return {
    ...processVariables(port),
    ...internalVariables,
    ...cacheAndBusVariables,
    ...viewerTokenVariables,
    ...authorityVariables,
    rateLimit: gatewayVariables.rateLimit,
    ...rateLimitVariables,
    ...observabilityVariables('0.0.0.0'),
  };
}

/** Additional settings of a service that stores rows. */
export const rowSettings = sharedDatabaseVariables;
