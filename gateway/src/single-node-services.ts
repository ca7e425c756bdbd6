import {
  createApiKeyVerifier,
  mount as mountAuth,
  readStoredWarnings,
  type SetupSecrets,
  toSetupSecrets,
} from '@latchkey/auth';
import { createContentReader, mount as mountContent } from '@latchkey/content';
import { type MasterKeyRing, mount as mountKeyDerivation } from '@latchkey/key-derivation';
import { createLeaseReader, mount as mountLeases } from '@latchkey/leases';
import type { SingleNodeValues } from '@latchkey/shared/config';
import { addGuard, addRefusalAudit } from '@latchkey/shared/http';
import type { Readiness } from '@latchkey/shared/lifecycle';
import { createServiceCore, type ProcessContext } from '@latchkey/shared/process';
import { addRows, type RowCore, type Rows } from '@latchkey/shared/process/rows';
import { addOwnStatistics } from './statistics/add-own-statistics.ts';

interface SingleNodeParts {
  context: ProcessContext;
  values: SingleNodeValues;
  rows: Rows;
  masterKeys: MasterKeyRing;
  readiness: Readiness;
}

/**
 * Mounts every service on one host. Each gets the objects of the others, where separate services get clients.
 *
 * @throws the errors of the database
 */
export async function mountServices(parts: SingleNodeParts): Promise<void> {
  const { context, values, rows, masterKeys, readiness } = parts;
  const { db, checkSchema: _, ...ways } = rows;
  const setup = toSetupSecrets(values);
  const apiKeys = createApiKeyVerifier({
    db,
    clock: context.clock,
    bootstrapKey: setup.bootstrapKey,
    onFault: (error) => context.warn('uses of API keys could not be written', error),
  });
  const contents = createContentReader({ db });
  const leases = createLeaseReader({ db, renewGraceSeconds: values.leaseRenewGraceSeconds });
  const readers = { ...ways, apiKeys, contents, leases };
  const core = addRows(await createServiceCore(context, values, readers), db);
  await core.follower.pull();
  await mountAuth(core, { apiKeys });
  await mountContent(core, { contents });
  await mountLeases(core, { leases, contents });
  await mountKeyDerivation(core, { masterKeys });
  await mountStatistics(core, setup, readiness);
}

async function mountStatistics(
  { app, db, clock, metrics, guard, refusals }: RowCore<SingleNodeValues>,
  setup: SetupSecrets,
  readiness: Readiness,
): Promise<void> {
  await app.register(async (scope) => {
    addGuard(scope, guard);
    addRefusalAudit(scope, refusals);
    addOwnStatistics(scope, {
      clock,
      statistics: metrics.statistics,
      report: readiness.report,
      storedWarnings: () => readStoredWarnings(db, setup),
    });
  });
}
