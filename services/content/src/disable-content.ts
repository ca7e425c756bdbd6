import { AppError } from '@latchkey/shared/errors';
import type { AuditFacts } from '@latchkey/shared/http';
import { announceContent } from './announce-content.ts';
import type { Content } from './content.ts';
import { findContent, updateContent } from './content-store.ts';
import type { Ledger } from './own-tables.ts';

/**
 * Ends a content's keys until it is made active again. Doing it twice leaves the content as the first time left it, and
 * is recorded and announced all the same: whoever asks again wants to be sure.
 *
 * @throws AppError CONTENT_NOT_FOUND
 */
export function disableContent(ledger: Ledger, id: string, facts: AuditFacts): Promise<Content> {
  return ledger.write(async (entry) => {
    const { tx, now } = entry;
    const found = await findContent(tx, id);
    const content =
      found?.status === 'disabled' ? found : await updateContent(tx, id, { status: 'disabled' }, now);
    if (!content) throw new AppError('CONTENT_NOT_FOUND');
    await announceContent(entry, content, 'disabled', facts);
    return content;
  });
}
