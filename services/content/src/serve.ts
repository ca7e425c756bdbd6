import { randomUUID } from 'node:crypto';
import { neighbourVariables, ports, presignRule, viewerTokenRule } from '@latchkey/shared/config';
import { addFeedRoutes } from '@latchkey/shared/internal';
import {
  connectApiKeys,
  connectNeighbour,
  createServiceCore,
  createServicePorts,
  openRows,
  rowSettings,
  runService,
  serviceSettings,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import {
  addContentNeighbourRoutes,
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
      ...serviceSettings(ports.content),
      ...rowSettings,
      ...contentServiceVariables,
      authUrls: neighbourVariables.authUrls,
    },
    rules: [viewerTokenRule, presignRule],
    async mount(context) {
      const { values, process, clock } = context;
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
        ...createServicePorts(context, { db, bus, guard, randomId: randomUUID }),
        publicUrl: values.publicUrl ?? null,
        uploadStore: readUploadStore(values),
      })(process.app);
      addContentNeighbourRoutes(process.app, contents, createKeyVersionRegistry({ db, clock }));
      addFeedRoutes(process.app, feed);
      return async () => {
        await checkSchema();
        await follower.pull();
      };
    },
  },
  process,
  process.env,
);
