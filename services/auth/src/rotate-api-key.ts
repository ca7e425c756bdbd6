import { isApiKeyUsable } from '@latchkey/shared/auth';
import type { Scope } from '@latchkey/shared/contracts';
import { lockSubject } from '@latchkey/shared/db';
import type { AuditFacts } from '@latchkey/shared/http';
import { type ApiKeyRow, apiKeyNotFound, endOfReplaced, toApiKeyState } from './api-key.ts';
import { findApiKeyById, insertApiKey, setApiKeyEnd } from './api-key-store.ts';
import type { AuthRouteOptions } from './auth-route-options.ts';
import { type IssuedApiKey, type KeyMaker, newApiKey } from './new-api-key.ts';
import { announceApiKey, auditApiKeyAct } from './record-api-key-act.ts';

export interface RotatedApiKey extends IssuedApiKey {
  /** The replaced key, with its new end. */
  previous: ApiKeyRow;
}

/**
 * Replaces an API key by one with the same name, scope and expiry. The old one works for the overlap. An overlap
 * of 0 revokes it at once. The audit names the old one.
 *
 * @throws AppError API_KEY_NOT_FOUND for an unknown id, and for a key that is revoked or expired:
 *   a key that is no longer accepted must not return under another id
 */
export async function rotateApiKey(
  options: KeyMaker & Pick<AuthRouteOptions, 'ledger'>,
  { id, overlapSeconds }: { id: string; overlapSeconds: number },
  facts: AuditFacts,
): Promise<RotatedApiKey> {
  return options.ledger.write(async (entry) => {
    await lockSubject(entry.tx, `api-key ${id}`, 'exclusive');
    const row = await findApiKeyById(entry.tx, id);
    if (!row) throw apiKeyNotFound();
    if (!isApiKeyUsable(toApiKeyState(row), entry.now))
      throw apiKeyNotFound('This API key is revoked or expired, so it cannot be rotated. Create a new one.');
    const { name, scope, expires_at: expiresAt } = row;
    const issued = newApiKey(options, { name, scope: scope as Scope, expiresAt }, entry.now);
    const previous = { ...row, ...endOfReplaced(row, overlapSeconds, entry.now) };
    await insertApiKey(entry.tx, issued.row);
    await setApiKeyEnd(entry.tx, id, previous);
    await announceApiKey(entry, 'created', issued.row);
    await announceApiKey(entry, previous.revoked_at === null ? 'updated' : 'revoked', previous);
    await auditApiKeyAct(entry, 'api-key.rotate', id, facts);
    return { ...issued, previous };
  });
}
