import { readConfig } from '@latchkey/shared/config';
import { listen, runProcess } from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { gatewaySettings, mountGateway } from './gateway-app.ts';

if (import.meta.main)
  await runProcess(
    {
      name: 'gateway',
      version: packageJson.version,
      about: 'latchkey gateway, which clients call when services run separately',
      settings: gatewaySettings,
      read: (env) => readConfig(gatewaySettings, env),
      async mount(context) {
        const app = await mountGateway(context, context.values.keyDerivationServiceUrl);
        return { listen: () => listen(app, context) };
      },
    },
    process,
    process.env,
  );
