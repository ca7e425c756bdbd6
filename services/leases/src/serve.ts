import { randomUUID } from 'node:crypto';
import { shareLeases } from '@latchkey/shared/cache';
import { neighbourVariables, ports, viewerTokenRule } from '@latchkey/shared/config';
import { addFeedRoutes, createContentClient } from '@latchkey/shared/internal';
import { everyMs } from '@latchkey/shared/lifecycle';
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
  createLeasePurge,
  createLeaseReader,
  leaseRoutes,
  leaseSettingRules,
  leaseSettings,
  readLeaseRules,
} from './index.ts';

/** Expiry is by comparison, so the purge only saves room and can be rare. */
const purgeEveryMs = 60_000;

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

      const purge = createLeasePurge({
        db,
        clock,
        renewGraceSeconds,
        tokenMaxAgeSeconds: values.authJwtMaxAgeSeconds,
        clockToleranceSeconds: values.authJwtClockToleranceSeconds,
      });
      const purges = everyMs(
        purgeEveryMs,
        () => purge.run(),
        (error) => log.error('what has ended could not be purged', { error }),
      );
      shutdown.add('purging', 5_000, () => purges.stop());
      return async () => {
        await checkSchema();
        await follower.pull();
      };
    },
  },
  process,
  process.env,
);
