import { hostname } from 'node:os';
import { createSystemClock } from '@latchkey/shared/clock';
import {
  corsRule,
  defaultPorts,
  describeSettings,
  describeVariables,
  gatewayVariables,
  internalTlsRules,
  internalVariables,
  listenRule,
  observabilityVariables,
  processVariables,
  readConfig,
  readsFiles,
  serviceUrlVariables,
  viewerTokenVariables,
  weakSecretRules,
} from '@latchkey/shared/config';
import { createShutdown } from '@latchkey/shared/lifecycle';
import { createOperatorLog, createStderrWriter, identifyProcess } from '@latchkey/shared/log';
import {
  answerFlags,
  createProcessBase,
  createRenewal,
  endOnSignals,
  explainAndExit,
  holdHangups,
  openInternalTls,
  openTracer,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { openFrontDoor } from './front-door.ts';

const settings = {
  ...processVariables(defaultPorts.gateway),
  ...gatewayVariables,
  // With `cookie`, pages of listed origins may send cookies.
  viewerTokenFrom: viewerTokenVariables.viewerTokenFrom,
  ...internalVariables,
  ...serviceUrlVariables,
  ...observabilityVariables('0.0.0.0'),
};

const help = () =>
  `latchkey gateway, which clients call when services run separately\n\n${describeVariables(settings)}`;

async function main(): Promise<void> {
  if (answerFlags(process, { version: packageJson.version, help })) return;
  const { env } = process;
  const hangups = holdHangups(process, readsFiles(settings, env));
  const read = () =>
    readConfig(settings, env, { rules: [corsRule, listenRule, ...internalTlsRules, ...weakSecretRules] });
  const { values, warnings } = read();
  const identity = identifyProcess('gateway', packageJson.version, { host: hostname(), pid: process.pid });
  const log = createOperatorLog({
    level: values.logLevel,
    format: process.stderr.isTTY ? 'plain' : 'json',
    write: createStderrWriter(process.stderr),
    identity,
  });
  for (const warning of warnings) log.warn(warning);
  const shutdown = createShutdown(log);
  const base = createProcessBase({ clock: createSystemClock(), log, shutdown });
  base.tracer = await openTracer('gateway', packageJson.version, values, base);
  base.internalTls = openInternalTls(values, base);
  const { keyDerivationUrls } = values;
  const requestLogTo = process.stdout.fd;
  const door = await openFrontDoor({
    ...{ name: 'gateway', base, values, keyDerivationUrls, ownReplica: null, requestLogTo, identity },
  });
  const variables = describeSettings(settings, env);
  door.metrics.statistics.variables = () => variables;
  await door.listen();
  const { drain } = door.readiness;
  endOnSignals({
    ...{ process, drain, shutdown, log, drainSeconds: values.shutdownDrainSeconds, hangups },
    onHangup: createRenewal({
      ...{ settings, env, values, log, metrics: door.metrics },
      read: () => read().values,
    }),
  });
}

if (import.meta.main) main().catch((error) => explainAndExit(error, process, process.env));
