import { AppError } from '@latchkey/shared/errors';
import type { Ledger } from '@latchkey/shared/events';
import type { AuditFacts } from '@latchkey/shared/http';
import { announceContent } from './announce-content.ts';
import type { Content, ContentFields } from './content.ts';
import { updateContent } from './content-store.ts';

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
