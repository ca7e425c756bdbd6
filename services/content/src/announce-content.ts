import type { AuditFacts } from '@latchkey/shared/http';
import type { Content } from './content.ts';
import { toContentAnswer } from './content-schema.ts';
import type { LedgerEntry } from './own-tables.ts';

const actions = {
  created: 'content.create',
  updated: 'content.update',
  disabled: 'content.disable',
} as const;

/** Writes the audit row, the change for every cache that has the content, and the notice for the dashboard. */
export async function announceContent(
  entry: LedgerEntry,
  content: Content,
  event: keyof typeof actions,
  facts: AuditFacts,
): Promise<void> {
  await entry.change({ kind: 'content', contentId: content.id });
  await entry.audit({ ...facts, action: actions[event], target: content.id, outcome: 'done', code: null });
  entry.notice({ topic: 'content', event, data: toContentAnswer(content) });
}
