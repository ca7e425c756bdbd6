import { randomUUID } from 'node:crypto';
import { shareLeases } from '@latchkey/shared/cache';
import { neighbourVariables, ports, viewerTokenRule } from '@latchkey/shared/config';
import { createDatabaseFeed } from '@latchkey/shared/events';
import {
  addFeedRoutes,
  createApiKeyClient,
  createContentClient,
  tellUsesEveryMs,
} from '@latchkey/shared/internal';
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
      const { values, process, clock, log, shutdown, dependencies } = context;
      const db = openServiceDatabase(values, context);
      dependencies.push(...databaseDependencies(db, clock));
      const bus = connectBus('leases', values, context);
      const feed = createDatabaseFeed(db);
      const secret = values.internalSecret.reveal();
      const wiring = { clock, log, metrics: process.metrics, shutdown };
      const apiKeys = createApiKeyClient(
        connectNeighbour({ name: 'auth', urls: values.authUrls, secret }, wiring),
      );
      const contents = createContentClient(
        connectNeighbour({ name: 'content', urls: values.contentUrls, secret }, wiring),
      );
      const sharing = connectSharedStates(values, context);
      const reader = createLeaseReader({ db, renewGraceSeconds: values.leaseRenewGraceSeconds });
      const { guard, follower } = await createServiceCore(context, values, {
        feed,
        bus,
        apiKeys,
        contents,
        leases: reader,
        sharing,
      });
      const servicePorts = createServicePorts(context, { db, bus, guard, randomId: randomUUID });
      const { leaseRenewGraceSeconds: renewGraceSeconds } = values;
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
        renewGraceSeconds: values.leaseRenewGraceSeconds,
        tokenMaxAgeSeconds: values.authJwtMaxAgeSeconds,
        clockToleranceSeconds: values.authJwtClockToleranceSeconds,
      });
      const onFault = (error: unknown) => log.error('a job failed', { error });
      const jobs = [
        everyMs(purgeEveryMs, () => purge.run(), onFault),
        everyMs(tellUsesEveryMs, () => apiKeys.flush(), onFault),
      ];
      shutdown.add('jobs', 5_000, async () => void (await Promise.all(jobs.map((job) => job.stop()))));
      return async () => {
        await checkMigrated(db);
        await follower.pull();
      };
    },
  },
  process,
  process.env,
);
