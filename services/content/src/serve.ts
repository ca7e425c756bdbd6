import { randomUUID } from 'node:crypto';
import { defaultPorts, neighbourVariables, presignRule, viewerTokenRule } from '@latchkey/shared/config';
import { addFeedRoutes } from '@latchkey/shared/internal';
import {
  connectApiKeys,
  connectNeighbour,
  createRouteOptions,
  createServiceCore,
  openRows,
  rowSettings,
  runService,
  serviceSettings,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import {
  addContentInternalRoutes,
  contentRoutes,
  contentServiceVariables,
  createContentReader,
  createKeyVersionRegistry,
  readUploadStore,
} from './index.ts';

await runService(
  {
    name: 'content',
    version: packageJson.version,
    settings: {
      ...serviceSettings(defaultPorts.content),
      ...rowSettings,
      ...contentServiceVariables,
      authUrls: neighbourVariables.authUrls,
    },
    rules: [viewerTokenRule, presignRule],
    async mount(context) {
      const { values, service, clock } = context;
      const { db, checkSchema, feed, bus, sharing } = openRows('content', values, context);
      const auth = connectNeighbour({ name: 'auth', urls: values.authUrls }, values, context);
      const apiKeys = connectApiKeys(auth, context);
      const contents = createContentReader({ db });
      const { guard, follower } = await createServiceCore(context, values, {
        feed,
        bus,
        apiKeys,
        contents,
        sharing,
      });
      await contentRoutes({
        ...createRouteOptions(context, { db, bus, guard, randomId: randomUUID }),
        publicUrl: values.publicUrl ?? null,
        uploadStore: readUploadStore(values),
      })(service.app);
      addContentInternalRoutes(service.app, contents, createKeyVersionRegistry({ db, clock }));
      addFeedRoutes(service.app, feed);
      return async () => {
        await checkSchema();
        await follower.pull();
      };
    },
  },
  process,
  process.env,
);
