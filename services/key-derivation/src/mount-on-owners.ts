import { serviceUrlVariables, type Values } from '@latchkey/shared/config';
import {
  createContentClient,
  createFeedClient,
  createImportedKeyClient,
  createKeyVersionClient,
  createLeaseClient,
  createRefusalClient,
} from '@latchkey/shared/internal';
import {
  connectApiKeys,
  connectBus,
  connectService,
  connectSessionUses,
  connectStateStore,
  connectUsage,
  createServiceCore,
  feedDependency,
  type ProcessContext,
  serviceSettings,
} from '@latchkey/shared/process';
import { mount } from './app.ts';
import { checkMasterKeys } from './check-master-keys.ts';
import { createOwnersCheck } from './check-owners.ts';
import { keyDerivationSettings } from './config.ts';
import { openMasterKeyRing } from './master-key-ring.ts';

/** The variables of a process that derives keys apart from the services that own the states. `port` is its default. */
export function separateSettings(port: number) {
  return {
    ...serviceSettings(port),
    ...keyDerivationSettings,
    LEASES_SERVICE_URL: serviceUrlVariables.LEASES_SERVICE_URL,
    AUTH_SERVICE_URL: serviceUrlVariables.AUTH_SERVICE_URL,
    CONTENT_SERVICE_URL: serviceUrlVariables.CONTENT_SERVICE_URL,
  };
}

/**
 * Adds key-derivation to a process, with leases, content and auth as other processes.
 *
 * @returns the work that must succeed before a key is served; throws `MasterKeyMismatch` if it never can
 */
export async function mountOnOwners(
  context: ProcessContext,
  values: Values<ReturnType<typeof separateSettings>>,
): Promise<() => Promise<void>> {
  const leases = connectService({ name: 'leases', urls: values.leasesServiceUrl }, values, context);
  const content = connectService({ name: 'content', urls: values.contentServiceUrl }, values, context);
  const auth = connectService({ name: 'auth', urls: values.authServiceUrl }, values, context);
  const leaseClient = createLeaseClient(leases);
  const contents = createContentClient(content);
  const importedKeys = createImportedKeyClient(content);
  const sharing = connectStateStore(values, context);
  const core = await createServiceCore(context, values, {
    // Each of the three knows every change, so losing one of them costs only what it owns.
    feed: createFeedClient([leases, content, auth]),
    bus: await connectBus('key-derivation', values, context),
    apiKeys: connectApiKeys(auth, context),
    contents,
    importedKeys,
    leases: sharing ? { owner: leaseClient.stamped, ...sharing } : leaseClient,
    sharing,
  });
  // Without changes no key is served. Behind a gateway, it is the gateway that then counts as not ready.
  if (!context.isSeparate) context.dependencies.push(feedDependency(core.follower, { optional: false }));
  const masterKeys = await openMasterKeyRing(values, context);
  await mount(core, {
    masterKeys,
    noteUse: connectSessionUses(leases, core).noteUse,
    ...{ contents, importedKeys, refusals: createRefusalClient(content) },
  });
  connectUsage(auth, core);
  const owners = [leases, content, auth].map((owner) => createFeedClient([owner]));
  const checkOwners = createOwnersCheck(owners, context.clock);
  return async () => {
    await checkMasterKeys(createKeyVersionClient(content), masterKeys);
    await checkOwners();
    await core.follower.pull();
  };
}
