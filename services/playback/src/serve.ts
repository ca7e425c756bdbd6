import type { ApiKeyVerifier } from '@latchkey/shared/contracts';
import { createContentClient, createFeedClient, createLeaseClient } from '@latchkey/shared/internal';
import {
  connectBus,
  connectService,
  connectSessionUses,
  connectStateStore,
  createServiceCore,
  runService,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { separateSettings } from './config.ts';
import { mount } from './index.ts';

/** No route of this service takes an API key. */
const noApiKeys: ApiKeyVerifier = { findApiKey: async () => null, noteUse: () => {} };
/** No route of this service takes a token. */
const noTokens = {
  allowAnonymousViewers: false,
  viewerTokenFrom: [],
  authJwtClockToleranceSeconds: 0,
  authJwtMaxAgeSeconds: 0,
  authJwtRequireIat: true,
};

await runService(
  {
    name: 'playback',
    version: packageJson.version,
    settings: separateSettings,
    async mount(context) {
      const { values } = context;
      const leases = connectService({ name: 'leases', urls: values.leasesServiceUrl }, values, context);
      const content = connectService({ name: 'content', urls: values.contentServiceUrl }, values, context);
      const leaseClient = createLeaseClient(leases);
      const sharing = connectStateStore(values, context);
      const core = await createServiceCore(
        context,
        { ...values, ...noTokens },
        {
          // Each of them knows every change, so losing one of them costs only what it owns.
          feed: createFeedClient([leases, content]),
          bus: await connectBus('playback', values, context),
          apiKeys: noApiKeys,
          contents: createContentClient(content),
          leases: sharing ? { owner: leaseClient.stamped, ...sharing } : leaseClient,
          sharing,
        },
      );
      await mount(core, { noteUse: connectSessionUses(leases, core).noteUse });
      return () => core.follower.pull();
    },
  },
  process,
  process.env,
);
