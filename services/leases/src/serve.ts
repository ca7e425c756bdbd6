import { randomUUID } from 'node:crypto';
import { shareLeases } from '@latchkey/shared/cache';
import { neighbourVariables, ports, viewerTokenRule } from '@latchkey/shared/config';
import { addFeedRoutes, createContentClient } from '@latchkey/shared/internal';
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
  addLeaseNeighbourRoutes,
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
      ...serviceSettings(ports.leases),
      ...rowSettings,
      ...leaseSettings,
      authUrls: neighbourVariables.authUrls,
      contentUrls: neighbourVariables.contentUrls,
    },
    rules: [viewerTokenRule, ...leaseSettingRules],
    async mount(context) {
      const { values, process, clock, log, shutdown } = context;
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
      const servicePorts = createServicePorts(context, { db, bus, guard, randomId: randomUUID });
      await leaseRoutes({
        ...servicePorts,
        ledger: sharing
          ? shareLeases(servicePorts.ledger, { ...sharing, renewGraceSeconds })
          : servicePorts.ledger,
        contents,
        contentMode: values.contentMode,
        rules: readLeaseRules(values),
        metrics: process.metrics,
      })(process.app);
      addLeaseNeighbourRoutes(process.app, reader, feed);
      addFeedRoutes(process.app, feed);

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
