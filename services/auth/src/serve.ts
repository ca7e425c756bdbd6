import { randomBytes, randomUUID } from 'node:crypto';
import {
  apiKeyVariables,
  auditVariables,
  defaultPorts,
  readAuditRetention,
  viewerTokenRule,
} from '@latchkey/shared/config';
import { addFeedRoutes } from '@latchkey/shared/internal';
import { everyMs } from '@latchkey/shared/lifecycle';
import {
  createRouteOptions,
  createServiceCore,
  openRows,
  rowSettings,
  runService,
  serviceSettings,
} from '@latchkey/shared/process';
import packageJson from '../package.json' with { type: 'json' };
import {
  addAuthInternalRoutes,
  authProcessRoutes,
  authRoutes,
  createApiKeyVerifier,
  createAuditPurge,
  lostManagersWarning,
  openSetupWarning,
  toSetupSecrets,
  usesFlushMs,
} from './index.ts';
import { readSetupOrigin } from './setup-origin.ts';

/** Rows are kept for days, so a minute more does not matter. */
const purgeEveryMs = 60_000;

await runService(
  {
    name: 'auth',
    version: packageJson.version,
    settings: {
      ...serviceSettings(defaultPorts.auth),
      ...rowSettings,
      ...apiKeyVariables,
      ...auditVariables,
    },
    rules: [viewerTokenRule],
    async mount(context) {
      const { values, service, clock, log, shutdown } = context;
      const { db, checkSchema, feed, bus, sharing } = openRows('auth', values, context);
      const setup = toSetupSecrets(values);
      const verifier = createApiKeyVerifier({
        db,
        clock,
        bootstrapKey: setup.bootstrapKey,
        onFault: (error) => log.error('uses of API keys could not be written', { error }),
      });
      const { guard, follower } = await createServiceCore(context, values, {
        feed,
        bus,
        apiKeys: verifier,
        sharing,
      });
      const authOptions = {
        ...createRouteOptions(context, { db, bus, guard, randomId: randomUUID }),
        randomBytes,
        setup,
        warn: (message: string) => log.warn(message),
        originOf: readSetupOrigin,
        bus,
        flushUses: () => verifier.flush(),
      };
      await authRoutes(authOptions)(service.app);
      await authProcessRoutes(authOptions)(service.app);
      addAuthInternalRoutes(service.app, verifier);
      addFeedRoutes(service.app, feed);
      const flushes = everyMs(
        usesFlushMs,
        () => verifier.flush(),
        (error) => log.error('uses of API keys', { error }),
      );
      const purge = createAuditPurge({ db, clock, retention: readAuditRetention(values) });
      const purges = everyMs(
        purgeEveryMs,
        () => purge.run(),
        (error) => log.error('the audit could not be purged', { error }),
      );
      shutdown.add('purging the audit', 5_000, async () => {
        purge.stop();
        await purges.stop();
      });
      shutdown.add('writing uses', 2_000, () => flushes.stop());
      return async () => {
        await checkSchema();
        await follower.pull();
        const warning =
          (await openSetupWarning(db, setup)) ?? (await lostManagersWarning(db, setup, clock.now()));
        if (warning) log.warn(warning);
      };
    },
  },
  process,
  process.env,
);
