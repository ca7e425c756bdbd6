import type { Scope } from '@latchkey/shared/contracts';
import { type AuditFacts, validationFailure } from '@latchkey/shared/http';
import { insertApiKey } from './api-key-store.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import { type IssuedApiKey, type KeyMaker, newApiKey } from './new-api-key.ts';
import { announceApiKey, auditApiKeyAct } from './record-api-key-act.ts';
import { lockSetupClaim } from './setup-claim-store.ts';

/**
 * Creates an API key. `full` may create `admin`: the scope table gives both the management of API keys.
 *
 * @param wanted `expiresAt` in milliseconds since 1970; null for a key that does not expire
 * @throws AppError VALIDATION_FAILED if `expiresAt` is not in the future (`docs/contract.md#api-keys`)
 */
export async function createApiKey(
  options: KeyMaker & Pick<AuthRouteOptions, 'ledger'>,
  wanted: { name: string; scope: Scope; expiresAt: number | null },
  facts: AuditFacts,
): Promise<IssuedApiKey> {
  return options.ledger.write(async (entry) => {
    if (wanted.expiresAt !== null && wanted.expiresAt <= entry.now)
      throw validationFailure('/expiresAt', 'must lie in the future');
    // Takes turns with setup: a key that is created while setup counts the keys would make two first keys.
    await lockSetupClaim(entry.tx, entry.now);
    const issued = newApiKey(options, wanted, entry.now);
    await insertApiKey(entry.tx, issued.row);
    await announceApiKey(entry, 'created', issued.row);
    await auditApiKeyAct(entry, 'api-key.create', issued.row.id, facts);
    return issued;
  });
}
