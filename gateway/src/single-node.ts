import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { createSystemClock } from '@latchkey/shared/clock';
import {
  describeVariables,
  type Environment,
  readsFiles,
  type SingleNodeValues,
  singleNodeSettings,
} from '@latchkey/shared/config';
import { createShutdown } from '@latchkey/shared/lifecycle';
import {
  createHidePersons,
  createOperatorLog,
  createRequestLog,
  createStderrWriter,
  identifyProcess,
} from '@latchkey/shared/log';
import {
  answerFlags,
  createRenewal,
  endOnSignals,
  explainAndExit,
  holdHangups,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import {
  describeNodeSettings,
  type NodeConfiguration,
  readNodeConfiguration,
} from './single-node-first-run.ts';
import { startSingleNode } from './single-node-start.ts';

const usage = `latchkey, every service in one process on SQLite

  npm start              serves until it is stopped (SIGTERM, SIGINT)
  npm start -- --help    this
  npm start -- --version which release this is

Everything is configured by environment variables. Each of them may come from a file instead: X_FILE names it.

`;

async function main(env: Environment): Promise<void> {
  const help = () => usage + describeVariables(singleNodeSettings);
  if (answerFlags(process, { version: packageJson.version, help })) return;
  const hangups = holdHangups(process, readsFiles(singleNodeSettings, env));
  const readConfiguration = () => readNodeConfiguration(env, randomBytes);
  const configuration = readConfiguration();
  const { values, warnings } = configuration;
  const identity = identifyProcess('single-node', packageJson.version, {
    host: hostname(),
    pid: process.pid,
  });
  const log = createOperatorLog({
    level: values.logLevel,
    format: process.stderr.isTTY ? 'plain' : 'json',
    write: createStderrWriter(process.stderr),
    identity,
  });
  for (const warning of warnings) log.warn(warning);

  const shutdown = createShutdown(log);
  const requestLog = createRequestLog(values.logLevel, process.stdout.fd, {
    identity,
    hidePersons: createHidePersons({ clientIp: values.logClientIp, viewerId: values.logViewerId }),
  });
  shutdown.add('the last log lines', 1_000, () => requestLog.flush());
  try {
    const node = await startSingleNode({
      configuration,
      reread: readConfiguration,
      metricsPortWasSet: Boolean(env.METRICS_PORT || env.METRICS_PORT_FILE),
      clock: createSystemClock(),
      log,
      requestLog,
      shutdown,
    });
    const variables = describeNodeSettings(env, configuration);
    node.metrics.statistics.variables = () => variables;
    endOnSignals({
      process,
      drain: node.drain,
      shutdown,
      log,
      drainSeconds: values.shutdownDrainSeconds,
      hangups,
      onHangup: createRenewal({
        settings: singleNodeSettings,
        env,
        values: node.values,
        read: () => readAgain(readConfiguration),
        log,
        metrics: node.metrics,
      }),
    });
    node.announce();
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

/** @throws Error if a secret that the first run kept is gone: another one in its place would refuse what was issued */
function readAgain(readConfiguration: () => NodeConfiguration): SingleNodeValues {
  const { values, made } = readConfiguration();
  const missing = Object.keys(made);
  if (missing.length > 0)
    throw new Error(
      `${missing.join(', ')} cannot be found any more. Put latchkey.env back beside the database`,
    );
  return values;
}

if (import.meta.main) {
  main(process.env).catch((error) => explainAndExit(error, process, process.env));
}
