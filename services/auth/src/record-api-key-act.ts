import type { AuditFacts } from '@latchkey/shared/http';
import { type ApiKeyRow, toApiKey } from './api-key.ts';
import type { LedgerEntry } from './own-tables.ts';

/** Writes a key's new state to the change feed, so that every cache drops the old one, and to the event stream. */
export async function announceApiKey(
  entry: LedgerEntry,
  event: 'created' | 'updated' | 'revoked',
  row: ApiKeyRow,
): Promise<void> {
  await entry.change({ kind: 'api-key', keyHash: row.key_hash });
  entry.notice({ topic: 'api-key', event, data: toApiKey(row) });
}

/** The audit row of an act on an API key, in the transaction of the act. */
export async function auditApiKeyAct(
  entry: LedgerEntry,
  action: 'setup' | 'api-key.create' | 'api-key.revoke' | 'api-key.rotate',
  id: string,
  facts: AuditFacts,
): Promise<void> {
  await entry.audit({ ...facts, action, target: id, outcome: 'done', code: null });
}
