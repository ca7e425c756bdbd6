import { lockSubject } from '@latchkey/shared/db';
import type { AuditFacts } from '@latchkey/shared/http';
import { type ApiKeyRow, apiKeyNotFound } from './api-key.ts';
import { findApiKeyById, setApiKeyEnd } from './api-key-store.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import { announceApiKey, auditApiKeyAct } from './record-api-key-act.ts';

/**
 * Revokes an API key. A second call keeps the time of the first, and adds only an audit row.
 *
 * @returns the key as it is now
 * @throws AppError API_KEY_NOT_FOUND
 */
export async function revokeApiKey(
  { ledger }: Pick<AuthRouteOptions, 'ledger'>,
  id: string,
  facts: AuditFacts,
): Promise<ApiKeyRow> {
  return ledger.write(async (entry) => {
    await lockSubject(entry.tx, `api-key ${id}`, 'exclusive');
    const row = await findApiKeyById(entry.tx, id);
    if (!row) throw apiKeyNotFound();
    const revoked = { ...row, revoked_at: row.revoked_at ?? entry.now };
    if (row.revoked_at === null) {
      await setApiKeyEnd(entry.tx, id, revoked);
      await announceApiKey(entry, 'revoked', revoked);
    }
    await auditApiKeyAct(entry, 'api-key.revoke', id, facts);
    return revoked;
  });
}
