import { defaultPorts, serviceUrlVariables } from '@latchkey/shared/config';
import { createContentClient } from '@latchkey/shared/internal';
import {
  connectApiKeys,
  connectService,
  connectUsage,
  createServiceCore,
  rowSettings,
  runService,
  serviceSettings,
} from '@latchkey/shared/process';
import { addRows, openRows } from '@latchkey/shared/process/service-database';
import packageJson from '../package.json' with { type: 'json' };
import { createLeaseReader, leaseSettings, mount } from './index.ts';

await runService(
  {
    name: 'leases',
    version: packageJson.version,
    settings: {
      ...serviceSettings(defaultPorts.leases),
      ...rowSettings,
      ...leaseSettings,
      AUTH_SERVICE_URL: serviceUrlVariables.AUTH_SERVICE_URL,
      CONTENT_SERVICE_URL: serviceUrlVariables.CONTENT_SERVICE_URL,
    },
    async mount(context) {
      const { values } = context;
      const { db, checkSchema, roster, ...rows } = await openRows('leases', values, context);
      const auth = connectService({ name: 'auth', urls: values.authServiceUrl }, values, context);
      const content = connectService({ name: 'content', urls: values.contentServiceUrl }, values, context);
      const contents = createContentClient(content);
      const leases = createLeaseReader({ db, renewGraceSeconds: values.leaseRenewGraceSeconds });
      const core = await createServiceCore(context, values, {
        ...rows,
        apiKeys: connectApiKeys(auth, context),
        contents,
        leases,
      });
      await mount(addRows(core, db, roster), { leases, contents });
      connectUsage(auth, core);
      return async () => {
        await checkSchema();
        await core.follower.pull();
      };
    },
  },
  process,
  process.env,
);
