import { randomUUID } from 'node:crypto';
import { neighbourVariables, ports, viewerTokenRule } from '@latchkey/shared/config';
import { createDatabaseFeed } from '@latchkey/shared/events';
import { addFeedRoutes, createApiKeyClient, tellUsesEveryMs } from '@latchkey/shared/internal';
import { everyMs } from '@latchkey/shared/lifecycle';
import {
  checkMigrated,
  connectBus,
  connectNeighbour,
  connectSharedStates,
  createServiceCore,
  createServicePorts,
  databaseDependencies,
  openServiceDatabase,
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
    rules: [viewerTokenRule],
    async mount(context) {
      const { values, process, clock, log, shutdown, dependencies } = context;
      const db = openServiceDatabase(values, context);
      dependencies.push(...databaseDependencies(db, clock));
      const bus = connectBus('content', values, context);
      const sharing = connectSharedStates(values, context);
      const feed = createDatabaseFeed(db);
      const secret = values.internalSecret.reveal();
      const wiring = { clock, log, metrics: process.metrics, shutdown };
      const apiKeys = createApiKeyClient(
        connectNeighbour({ name: 'auth', urls: values.authUrls, secret }, wiring),
      );
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
      })(process.app);
      addContentNeighbourRoutes(process.app, contents, createKeyVersionRegistry({ db, clock }));
      addFeedRoutes(process.app, feed);
      const flushes = everyMs(
        tellUsesEveryMs,
        () => apiKeys.flush(),
        (error) => log.error('uses of API keys', { error }),
      );
      shutdown.add('telling uses', 2_000, () => flushes.stop());
      return async () => {
        await checkMigrated(db);
        await follower.pull();
      };
    },
  },
  process,
  process.env,
);
