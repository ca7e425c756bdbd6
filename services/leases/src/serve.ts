import { randomUUID } from 'node:crypto';
import { defaultPorts, neighbourVariables, viewerTokenRule } from '@latchkey/shared/config';
import { addFeedRoutes, createContentClient } from '@latchkey/shared/internal';
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
import { createLeasePublisher } from '@latchkey/shared/replicas';
import packageJson from '../package.json' with { type: 'json' };
import {
  addLeaseInternalRoutes,
  createLeaseReader,
  leaseRoutes,
  leaseSettingRules,
  leaseSettings,
  readLeaseRules,
  startLeaseJobs,
} from './index.ts';

await runService(
  {
    name: 'leases',
    version: packageJson.version,
    settings: {
      ...serviceSettings(defaultPorts.leases),
      ...rowSettings,
      ...leaseSettings,
      authUrls: neighbourVariables.authUrls,
      contentUrls: neighbourVariables.contentUrls,
    },
    rules: [viewerTokenRule, ...leaseSettingRules],
    async mount(context) {
      const { values, service, clock, log, shutdown } = context;
      const { leaseRenewGraceSeconds: renewGraceSeconds } = values;
      const { db, checkSchema, feed, bus, sharing } = openRows('leases', values, context);
      const auth = connectNeighbour({ name: 'auth', urls: values.authUrls }, values, context);
      const apiKeys = connectApiKeys(auth, context);
      const contents = createContentClient(
        connectNeighbour({ name: 'content', urls: values.contentUrls }, values, context),
      );
      const reader = createLeaseReader({ db, renewGraceSeconds });
      const { guard, follower } = await createServiceCore(context, values, {
        feed,
        bus,
        apiKeys,
        contents,
        leases: reader,
        sharing,
      });
      const routeOptions = createRouteOptions(context, { db, bus, guard, randomId: randomUUID });
      await leaseRoutes({
        ...routeOptions,
        publisher: sharing && createLeasePublisher(sharing),
        contents,
        contentMode: values.contentMode,
        rules: readLeaseRules(values),
        metrics: service.metrics,
      })(service.app);
      addLeaseInternalRoutes(service.app, reader, feed);
      addFeedRoutes(service.app, feed);

      const jobs = startLeaseJobs({
        db,
        clock,
        renewGraceSeconds,
        tokenMaxAgeSeconds: values.authJwtMaxAgeSeconds,
        clockToleranceSeconds: values.authJwtClockToleranceSeconds,
        onFault: (what, error) => log.error(what, { error }),
      });
      shutdown.add('writing revocations and purging', 5_000, () => jobs.stop());
      return async () => {
        await checkSchema();
        await follower.pull();
      };
    },
  },
  process,
  process.env,
);
