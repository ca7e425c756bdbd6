import { defaultPorts, serviceUrlVariables } from '@latchkey/shared/config';
import {
  connectApiKeys,
  connectService,
  createServiceCore,
  rowSettings,
  runService,
  serviceSettings,
} from '@latchkey/shared/process';
import { addRows, openRows } from '@latchkey/shared/process/service-database';
import packageJson from '../package.json' with { type: 'json' };
import { contentServiceVariables, createContentReader, mount } from './index.ts';

await runService(
  {
    name: 'content',
    version: packageJson.version,
    settings: {
      ...serviceSettings(defaultPorts.content),
      ...rowSettings,
      ...contentServiceVariables,
      AUTH_SERVICE_URL: serviceUrlVariables.AUTH_SERVICE_URL,
    },
    async mount(context) {
      const { values } = context;
      const { db, checkSchema, roster, ...rows } = await openRows('content', values, context);
      const auth = connectService({ name: 'auth', urls: values.authServiceUrl }, values, context);
      const contents = createContentReader({ db });
      const core = await createServiceCore(context, values, {
        ...rows,
        apiKeys: connectApiKeys(auth, context),
        contents,
      });
      await mount(addRows(core, db, roster), { contents });
      return async () => {
        await checkSchema();
        await core.follower.pull();
      };
    },
  },
  process,
  process.env,
);
