import { AppError } from '@latchkey/shared/errors';
import type { AuditFacts } from '@latchkey/shared/http';
import { announceContent } from './announce-content.ts';
import type { Content, ContentFields } from './content.ts';
import { updateContent } from './content-store.ts';
import type { Ledger } from './own-tables.ts';

/** @throws AppError CONTENT_NOT_FOUND */
export function changeContent(
  ledger: Ledger,
  id: string,
  fields: Partial<ContentFields>,
  facts: AuditFacts,
): Promise<Content> {
  return ledger.write(async (entry) => {
    const content = await updateContent(entry.tx, id, fields, entry.now);
    if (!content) throw new AppError('CONTENT_NOT_FOUND');
    await announceContent(entry, content, 'updated', facts);
    return content;
  });
}
