import { hostname } from 'node:os';
import { masterKeyRule, mountOnOwners, separateSettings } from '@latchkey/key-derivation';
import { createSystemClock } from '@latchkey/shared/clock';
import {
  corsRule,
  defaultPorts,
  describeSettings,
  describeVariables,
  gatewayVariables,
  internalTlsRules,
  listenRule,
  readConfig,
  readsFiles,
  serviceUrlVariables,
  storeRule,
  type Values,
  viewerTokenRule,
  weakSecretRules,
} from '@latchkey/shared/config';
import { AppError } from '@latchkey/shared/errors';
import { createShutdown } from '@latchkey/shared/lifecycle';
import {
  createOperatorLog,
  createStderrWriter,
  identifyProcess,
  type ProcessIdentity,
} from '@latchkey/shared/log';
import {
  answerFlags,
  createProcessBase,
  createRenewal,
  createStart,
  endOnSignals,
  explainAndExit,
  type HeldHangups,
  holdHangups,
  openInternalTls,
  openTracer,
  type ProcessBase,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { openFrontDoor } from './front-door.ts';

const settings = {
  ...separateSettings(defaultPorts.gateway),
  ...gatewayVariables,
  playbackUrls: serviceUrlVariables.playbackUrls,
};

const help = () =>
  `latchkey edge, a gateway that derives the content keys itself and forwards the rest\n\n${describeVariables(settings)}`;

async function main(): Promise<void> {
  if (answerFlags(process, { version: packageJson.version, help })) return;
  const hangups = holdHangups(process, readsFiles(settings, process.env));
  const read = () =>
    readConfig(settings, process.env, {
      rules: [
        corsRule,
        listenRule,
        viewerTokenRule,
        masterKeyRule,
        storeRule,
        ...internalTlsRules,
        ...weakSecretRules,
      ],
    });
  const { values, warnings } = read();
  const identity = identifyProcess('edge', packageJson.version, { host: hostname(), pid: process.pid });
  const log = createOperatorLog({
    level: values.logLevel,
    format: process.stderr.isTTY ? 'plain' : 'json',
    write: createStderrWriter(process.stderr),
    identity,
  });
  for (const warning of warnings) log.warn(warning);
  const shutdown = createShutdown(log);
  const base = createProcessBase({ clock: createSystemClock(), log, shutdown });
  base.tracer = await openTracer('edge', packageJson.version, values, base);
  base.internalTls = openInternalTls(values, base);
  try {
    await serve(base, values, identity, { read: () => read().values, hangups });
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

type EdgeValues = Values<typeof settings>;

/** Keys are refused with 503 until the master keys are known to be those of the database and the changes are read. */
async function serve(
  base: ProcessBase,
  values: EdgeValues,
  identity: ProcessIdentity,
  { read, hangups }: { read: () => EdgeValues; hangups: HeldHangups },
): Promise<void> {
  const { log, shutdown, dependencies, startUp } = base;
  const door = await openFrontDoor({
    ...{ name: 'edge', base, values, keyDerivationUrls: null, ownReplica: hostname() },
    requestLogTo: process.stdout.fd,
    identity,
  });
  const { metrics, readiness } = door;
  const variables = describeSettings(settings, process.env);
  metrics.statistics.variables = () => variables;
  const start = createStart(dependencies);
  let prepare = async () => {};
  await door.app.register(async (app) => {
    app.addHook('onRequest', (_request, _reply, done) =>
      done(start.isOver() ? undefined : new AppError('DEPENDENCY_UNAVAILABLE')),
    );
    prepare = await mountOnOwners({ ...base, app, metrics, isSeparate: false }, values);
  });
  await door.listen();
  endOnSignals({
    ...{ process, drain: readiness.drain, shutdown, log, drainSeconds: values.shutdownDrainSeconds, hangups },
    onHangup: createRenewal({ settings, env: process.env, values, read, log, metrics }),
  });
  await start.finish(prepare, { isDraining: readiness.isDraining, log, startUp });
  readiness.discardResults();
}

if (import.meta.main) main().catch((error) => explainAndExit(error, process, process.env));
