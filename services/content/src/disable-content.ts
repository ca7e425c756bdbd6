import { AppError } from '@latchkey/shared/errors';
import type { AuditFacts } from '@latchkey/shared/http';
import { announceContent } from './announce-content.ts';
import type { Content } from './content.ts';
import { findContent, updateContent } from './content-store.ts';
import type { Ledger } from './own-tables.ts';

/**
 * Stops serving a content's keys until it is active again. A second call changes nothing, but is audited and announced again, for
 * callers that want to be sure.
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
