import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { createSystemClock } from '../clock/clock.ts';
import {
  describeSettings,
  describeVariables,
  type Environment,
  type Settings,
  type Values,
} from '../config/index.ts';
import { createLoggedReadiness, createShutdown, type Readiness } from '../lifecycle/index.ts';
import { createOperatorLog, createStderrWriter, type ProcessIdentity } from '../log/index.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { type JudgedValues, judgeConfiguration } from '../statistics/index.ts';
import { endOnSignals } from './end-on-signals.ts';
import { explainAndExit } from './explain-refusal.ts';
import { exportReadiness } from './export-gauges.ts';
import { type InternalTlsSettings, openInternalTls } from './open-tls.ts';
import { openTracer, type TraceSettings } from './open-tracer.ts';
import { createProcessBase, type ProcessBase } from './process-context.ts';

/** The values that the start itself needs. */
interface StartValues extends TraceSettings, InternalTlsSettings, JudgedValues {
  logLevel: string;
  shutdownDrainSeconds: number;
}

interface Configuration<V> {
  readonly values: V;
  readonly warnings: readonly string[];
}

/** The context from which the app of a process is made. */
export interface StartContext<V, C extends Configuration<V> = Configuration<V>> extends ProcessBase {
  name: string;
  version: string;
  /** In every line of both logs. */
  identity: ProcessIdentity;
  process: NodeJS.Process;
  env: Environment;
  configuration: C;
  values: V;
  metrics: Metrics;
  readiness: Readiness;
}

/** An app with its routes, which does not listen yet. */
export interface MountedApp {
  listen: () => Promise<void>;
  /** The work after the handlers of signals are set, because a signal may come once the process listens. */
  afterListen?: () => Promise<void> | void;
}

interface RunProcessOptions<S extends Settings, C extends Configuration<Values<S>>> {
  name: string;
  version: string;
  /** Begins `--help`: the variables follow. */
  about: string;
  settings: S;
  /** Reads the configuration. @throws ConfigError with every fault */
  read: (env: Environment) => C;
  mount: (context: StartContext<Values<S>, C>) => Promise<MountedApp>;
}

/** Runs a process: its flags, configuration, log and adapters, then its app, and the end in order. */
export async function runProcess<const S extends Settings, C extends Configuration<Values<S>>>(
  options: RunProcessOptions<S, C>,
  process: NodeJS.Process,
  env: Environment,
): Promise<void> {
  try {
    const { version, about, settings } = options;
    const help = () => `${about}\n\n${describeVariables(settings)}`;
    // Throws for any other argument.
    const { values: flags } = parseArgs({
      args: process.argv.slice(2),
      options: { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'V' } },
    });
    if (flags.help) process.stdout.write(help());
    else if (flags.version) process.stdout.write(`${version}\n`);
    else await start(options, process, env);
  } catch (error) {
    explainAndExit(error, process, env);
  }
}

/** Names have 253 characters at most (RFC 1035); more than this would only make each line of the log longer. */
const longestHost = 63;

async function start<S extends Settings, C extends Configuration<Values<S>>>(
  { name, version, settings, read, mount }: RunProcessOptions<S, C>,
  process: NodeJS.Process,
  env: Environment,
): Promise<void> {
  const configuration = read(env);
  const values: Values<S> = configuration.values;
  const common = values as unknown as StartValues;
  // In a container the name is its id, on Kubernetes the name of the pod. Several processes of one machine differ by their ids.
  const instance = `${hostname().slice(0, longestHost)}-${process.pid}`;
  const identity = { service: name, version, instance };
  const log = createOperatorLog({
    level: common.logLevel,
    format: process.stderr.isTTY ? 'plain' : 'json',
    write: createStderrWriter(process.stderr),
    identity,
  });
  for (const warning of configuration.warnings) log.warn(warning);
  const clock = createSystemClock();
  const shutdown = createShutdown(log);
  const base = createProcessBase({ clock, log, shutdown });
  try {
    base.tracer = await openTracer(identity, common, base);
    base.internalTls = openInternalTls(common, base);
    const metrics = createMetrics(clock, { service: name, version, registry: base.registry });
    const readiness = createLoggedReadiness(base.dependencies, base);
    exportReadiness(metrics.registry, readiness);
    metrics.statistics.warnings = () => judgeConfiguration(common);
    const variables = describeSettings(settings, env);
    metrics.statistics.variables = () => variables;
    const own = { name, version, identity, process, env, configuration, values, metrics, readiness };
    const app = await mount({ ...base, ...own });
    await app.listen();
    const { drain } = readiness;
    endOnSignals({ process, drain, shutdown, log, drainSeconds: common.shutdownDrainSeconds });
    await app.afterListen?.();
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}
