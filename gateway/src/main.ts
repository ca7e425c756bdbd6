import {
  defaultPorts,
  gatewayVariables,
  internalVariables,
  observabilityVariables,
  processVariables,
  readConfig,
  serviceUrlVariables,
  viewerTokenVariables,
} from '@latchkey/shared/config';
import { listen, runProcess } from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { mountGateway } from './gateway-app.ts';

const settings = {
  ...processVariables(defaultPorts.gateway),
  ...gatewayVariables,
  // With `cookie`, pages of listed origins may send cookies.
  VIEWER_TOKEN_FROM: viewerTokenVariables.VIEWER_TOKEN_FROM,
  ...internalVariables,
  ...serviceUrlVariables,
  ...observabilityVariables('0.0.0.0'),
};

if (import.meta.main)
  await runProcess(
    {
      name: 'gateway',
      version: packageJson.version,
      about: 'latchkey gateway, which clients call when services run separately',
      settings,
      read: (env) => readConfig(settings, env),
      async mount(context) {
        const keyDerivationUrls = context.values.keyDerivationServiceUrl;
        const app = await mountGateway(context, { keyDerivationUrls, ownReplica: null });
        return { listen: () => listen(app, context) };
      },
    },
    process,
    process.env,
  );
