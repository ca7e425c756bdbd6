import { defaultPorts, serviceUrlVariables, viewerTokenRule } from '@latchkey/shared/config';
import {
  createContentClient,
  createFeedClient,
  createKeyVersionClient,
  createLeaseClient,
} from '@latchkey/shared/internal';
import {
  connectApiKeys,
  connectBus,
  connectService,
  connectStateStore,
  createServiceCore,
  runService,
  serviceSettings,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import { checkMasterKeys, keyDerivationSettings, masterKeyRule, mount, openMasterKeyRing } from './index.ts';

await runService(
  {
    name: 'key-derivation',
    version: packageJson.version,
    settings: {
      ...serviceSettings(defaultPorts.keyDerivation),
      ...keyDerivationSettings,
      leasesUrls: serviceUrlVariables.leasesUrls,
      authUrls: serviceUrlVariables.authUrls,
      contentUrls: serviceUrlVariables.contentUrls,
    },
    rules: [viewerTokenRule, masterKeyRule],
    async mount(context) {
      const { values, log } = context;
      const leases = connectService({ name: 'leases', urls: values.leasesUrls }, values, context);
      const content = connectService({ name: 'content', urls: values.contentUrls }, values, context);
      const auth = connectService({ name: 'auth', urls: values.authUrls }, values, context);
      const leaseClient = createLeaseClient(leases);
      const sharing = connectStateStore(values, context);
      const core = await createServiceCore(context, values, {
        // Each of the three knows every change, so losing one of them costs only what it owns.
        feed: createFeedClient([leases, content, auth]),
        bus: await connectBus('key-derivation', values, context),
        apiKeys: connectApiKeys(auth, context),
        contents: createContentClient(content),
        leases: sharing ? { owner: leaseClient.stamped, ...sharing } : leaseClient,
        sharing,
      });
      const masterKeys = openMasterKeyRing(values, log.warn);
      await mount(core, { masterKeys });
      return async () => {
        await checkMasterKeys(createKeyVersionClient(content), masterKeys);
        await core.follower.pull();
      };
    },
  },
  process,
  process.env,
);
