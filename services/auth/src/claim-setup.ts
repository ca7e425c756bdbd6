import { AppError } from '@latchkey/shared/errors';
import type { AuditFacts } from '@latchkey/shared/http';
import { hasApiKeys, insertApiKey } from './api-key-store.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import { type IssuedApiKey, type KeyMaker, newApiKey } from './new-api-key.ts';
import { announceApiKey, auditApiKeyAct } from './record-api-key-act.ts';
import { lockSetupClaim } from './setup-claim-store.ts';

/**
 * Creates the first API key, with scope `admin` (`docs/contract.md#setup`). Of concurrent callers exactly one succeeds.
 *
 * @throws AppError SETUP_ALREADY_DONE if any key is stored, including revoked ones
 */
export async function claimSetup(
  options: KeyMaker & Pick<AuthRouteOptions, 'ledger'>,
  name: string,
  facts: AuditFacts,
): Promise<IssuedApiKey> {
  return options.ledger.write(async (entry) => {
    await lockSetupClaim(entry.tx, entry.now);
    if (await hasApiKeys(entry.tx)) throw alreadyDone();
    const issued = newApiKey(options, { name, scope: 'admin', expiresAt: null }, entry.now);
    await insertApiKey(entry.tx, issued.row);
    await announceApiKey(entry, 'created', issued.row);
    await auditApiKeyAct(entry, 'setup', issued.row.id, facts);
    return issued;
  });
}

/**
 * A first check without a lock, so that a stranger who calls again and again blocks nobody. Rows are never removed, so one is enough.
 *
 * @throws AppError SETUP_ALREADY_DONE
 */
export async function refuseSecondClaim({ db }: Pick<AuthRouteOptions, 'db'>): Promise<void> {
  if (await hasApiKeys(db)) throw alreadyDone();
}

function alreadyDone(): AppError {
  return new AppError('SETUP_ALREADY_DONE', {
    detail: 'An API key is stored already. Create further ones with POST /api/v1/api-keys.',
  });
}
