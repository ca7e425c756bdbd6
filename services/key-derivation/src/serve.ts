import { defaultPorts, neighbourVariables, viewerTokenRule } from '@latchkey/shared/config';
import { createMasterKey } from '@latchkey/shared/derivation';
import {
  createContentClient,
  createFeedClient,
  createKeyVersionClient,
  createLeaseClient,
} from '@latchkey/shared/internal';
import {
  connectApiKeys,
  connectBus,
  connectNeighbour,
  connectStateStore,
  createServiceCore,
  runService,
  serviceSettings,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import {
  checkMasterKeys,
  createMasterKeyRing,
  keyDerivationRoutes,
  keyDerivationSettings,
  masterKeyRule,
  reportMissingKeys,
} from './index.ts';

await runService(
  {
    name: 'key-derivation',
    version: packageJson.version,
    settings: {
      ...serviceSettings(defaultPorts.keyDerivation),
      ...keyDerivationSettings,
      leasesUrls: neighbourVariables.leasesUrls,
      authUrls: neighbourVariables.authUrls,
      contentUrls: neighbourVariables.contentUrls,
    },
    rules: [viewerTokenRule, masterKeyRule],
    async mount(context) {
      const { values, service, clock, log, dependencies } = context;
      const leases = connectNeighbour({ name: 'leases', urls: values.leasesUrls }, values, context);
      const content = connectNeighbour({ name: 'content', urls: values.contentUrls }, values, context);
      const auth = connectNeighbour({ name: 'auth', urls: values.authUrls }, values, context);
      const leaseClient = createLeaseClient(leases);
      const sharing = connectStateStore(values, context);
      const { authority, guard, follower } = await createServiceCore(context, values, {
        // Any of the three can tell what changed: losing one of them costs only what it owns.
        feed: createFeedClient([leases, content, auth]),
        bus: connectBus('key-derivation', values, context),
        apiKeys: connectApiKeys(auth, context),
        contents: createContentClient(content),
        leases: sharing ? { owner: leaseClient.stamped, ...sharing } : leaseClient,
        sharing,
      });
      const masterKeys = createMasterKeyRing(
        values.masterKeys
          .reveal()
          .map(({ version, masterKey, salt }) => createMasterKey(version, masterKey, salt)),
        log.warn,
      );
      // A version that is missing is shown there, and the others are served all the same.
      dependencies.push({ name: 'master-key', optional: true, check: async () => masterKeys.facts() });
      reportMissingKeys(service.app);
      await keyDerivationRoutes({
        authority,
        rules: values,
        masterKeys,
        clock,
        guard,
        metrics: service.metrics,
      })(service.app);
      return async () => {
        await checkMasterKeys(createKeyVersionClient(content), masterKeys);
        await follower.pull();
      };
    },
  },
  process,
  process.env,
);
