import type { AuditFacts } from '@latchkey/shared/http';
import { announceContent } from './announce-content.ts';
import type { Content, ContentFields } from './content.ts';
import { insertContent, newestKeyVersion, updateContent } from './content-store.ts';
import type { Ledger } from './own-tables.ts';

export type Registration = Pick<ContentFields, 'name'> & Partial<Omit<ContentFields, 'status'>>;

/**
 * Registers a content, or updates the given members if the id is known. Registering again changes neither the key version nor the
 * status: a disabled content stays disabled.
 */
export function registerContent(
  ledger: Ledger,
  id: string,
  registration: Registration,
  facts: AuditFacts,
): Promise<{ content: Content; created: boolean }> {
  return ledger.write(async (entry) => {
    const { tx, now } = entry;
    const inserted = await insertContent(tx, {
      sizeBytes: null,
      manifestKey: null,
      metadata: {},
      ...registration,
      id,
      status: 'active',
      keyVersion: await newestKeyVersion(tx),
      createdAt: now,
    });
    const content = inserted ?? (await updateContent(tx, id, registration, now));
    // A content is never deleted, so the insert or the update found it.
    if (!content) throw new Error('a content vanished while it was registered');
    const created = inserted !== null;
    await announceContent(entry, content, created ? 'created' : 'updated', facts);
    return { content, created };
  });
}
