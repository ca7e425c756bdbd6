import { mountOnOwners, separateSettings } from '@latchkey/key-derivation';
import {
  defaultPorts,
  gatewayVariables,
  readConfig,
  serviceUrlVariables,
  type Values,
} from '@latchkey/shared/config';
import { AppError } from '@latchkey/shared/errors';
import {
  createStart,
  listen,
  type MountedApp,
  runProcess,
  type StartContext,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { mountGateway } from './gateway-app.ts';

const settings = {
  ...separateSettings(defaultPorts.gateway),
  ...gatewayVariables,
  PLAYBACK_SERVICE_URL: serviceUrlVariables.PLAYBACK_SERVICE_URL,
};

/**
 * The gateway without key-derivation as a service, then key-derivation itself. Its routes answer 503 until the master keys are known to
 * match the database and the changes are read.
 */
async function mountEdge(context: StartContext<Values<typeof settings>>): Promise<MountedApp> {
  const gateway = await mountGateway(context, null);
  const start = createStart(context.dependencies);
  let prepare = async () => {};
  await gateway.register(async (app) => {
    app.addHook('onRequest', (_request, _reply, done) =>
      done(start.isOver() ? undefined : new AppError('DEPENDENCY_UNAVAILABLE')),
    );
    prepare = await mountOnOwners({ ...context, app, isSeparate: false }, context.values);
  });
  return {
    listen: () => listen(gateway, context),
    async afterListen() {
      await start.finish(prepare, context);
      context.readiness.discardResults();
    },
  };
}

if (import.meta.main)
  await runProcess(
    {
      name: 'edge',
      version: packageJson.version,
      about: 'latchkey edge, a gateway that derives the content keys itself and forwards the rest',
      settings,
      read: (env) => readConfig(settings, env),
      mount: mountEdge,
    },
    process,
    process.env,
  );
