import { defaultPorts } from '@latchkey/shared/config';
import { createServiceCore, rowSettings, runService, serviceSettings } from '@latchkey/shared/process';
import { addRows, openRows } from '@latchkey/shared/process/service-database';
import packageJson from '../package.json' with { type: 'json' };
import { authVariables, createApiKeyVerifier, mount, readStartWarning, toSetupSecrets } from './index.ts';

await runService(
  {
    name: 'auth',
    version: packageJson.version,
    settings: { ...serviceSettings(defaultPorts.auth), ...rowSettings, ...authVariables },
    async mount(context) {
      const { values, clock, log, warn } = context;
      const { db, checkSchema, roster, ...rows } = await openRows('auth', values, context);
      const setup = toSetupSecrets(values);
      const apiKeys = createApiKeyVerifier({
        db,
        clock,
        bootstrapKeys: setup.bootstrapKeys,
        onFault: (error) => warn('uses of API keys could not be written', error),
      });
      const core = await createServiceCore(context, values, { ...rows, apiKeys });
      await mount(addRows(core, db, roster), { apiKeys });
      return async () => {
        await checkSchema();
        await core.follower.pull();
        const warning = await readStartWarning(db, setup, values, clock.now());
        if (warning) log.warn(warning);
      };
    },
  },
  process,
  process.env,
);
