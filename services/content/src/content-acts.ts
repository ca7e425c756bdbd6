import { scopesOf } from '@latchkey/shared/auth';
import type { Scope } from '@latchkey/shared/contracts';
import { AppError } from '@latchkey/shared/errors';
import type { AuditFacts } from '@latchkey/shared/http';
import { compareContents } from './compare-contents.ts';
import type { Content, ContentFields } from './content.ts';
import { toContentAnswer } from './content-schema.ts';
import { findContentToChange, insertContent, newestKeyVersion, updateContent } from './content-store.ts';
import { isTightening } from './is-tightening.ts';
import type { Ledger, LedgerEntry, Transaction } from './own-tables.ts';
import { findRegistrant } from './registrant-store.ts';

/**
 * Registers a content, or updates the given members if the id is known. Registering again changes neither the key version nor the
 * status: a disabled content stays disabled.
 *
 * @throws AppError CONTENT_EXISTS if the id is known and only a new content is wanted, INSUFFICIENT_SCOPE as `assertMayRegisterAgain`
 */
export function registerContent(
  ledger: Ledger,
  { id, isNewOnly, scope }: { id: string; isNewOnly: boolean; scope: Scope | null },
  registration: Registration,
  facts: AuditFacts,
): Promise<{ content: Content; created: boolean }> {
  return ledger.write(async (entry) => {
    const { tx, now } = entry;
    const keyVersion = await newestKeyVersion(tx);
    const content = { ...emptyContent, ...registration, id, keyVersion, createdAt: now };
    const inserted = await insertContent(tx, content, scope);
    // Decided by the insert itself: of two simultaneous registrations, one finds the other.
    if (!inserted && isNewOnly) throw new AppError('CONTENT_EXISTS');
    const before = inserted ? null : await findContentToChange(tx, id);
    if (before && scope === 'packager') await assertMayRegisterAgain(tx, before, registration);
    const after = inserted ?? (await updateContent(tx, id, registration, now));
    // A content is never deleted, so the insert or the update found it.
    if (!after) throw new Error('a content vanished while it was registered');
    const created = inserted !== null;
    await announceContent(entry, { before, after }, created ? 'created' : 'updated', facts);
    return { content: after, created };
  });
}

const emptyContent = {
  status: 'active',
  keyPeriods: null,
  sizeBytes: null,
  manifestKey: null,
  playlistUrl: null,
  metadata: {},
} as const;

type Registration = Pick<ContentFields, 'name'> & Partial<Omit<ContentFields, 'status'>>;

/**
 * A packager states the key periods and the playlist of its own contents. The key periods of other contents bound what viewers get, so it may only
 * tighten them (`docs/reference/contract.md#scopes`). The values that the content has already are no change: encoders register at each start.
 *
 * @throws AppError INSUFFICIENT_SCOPE
 */
async function assertMayRegisterAgain(
  tx: Transaction,
  before: Content,
  { keyPeriods = before.keyPeriods, playlistUrl = before.playlistUrl }: Registration,
): Promise<void> {
  const isTight = isTightening(before.keyPeriods, keyPeriods);
  if (isTight && playlistUrl === before.playlistUrl) return;
  if ((await findRegistrant(tx, before.id)) === 'packager') return;
  const may = isTight ? 'not change its playlistUrl' : 'only tighten its keyPeriods';
  const scope = scopesOf('manage');
  const detail = `No API key with the scope packager registered this content, so such a key may ${may}. That needs one of the scopes: ${scope}.`;
  throw new AppError('INSUFFICIENT_SCOPE', { detail, members: { scope } });
}

/** @throws AppError CONTENT_NOT_FOUND */
export function changeContent(
  ledger: Ledger,
  id: string,
  fields: Partial<ContentFields>,
  facts: AuditFacts,
): Promise<Content> {
  return ledger.write(async (entry) => {
    const before = await findContentToChange(entry.tx, id);
    const content = await updateContent(entry.tx, id, fields, entry.now);
    if (!content) throw new AppError('CONTENT_NOT_FOUND');
    await announceContent(entry, { before, after: content }, 'updated', facts);
    return content;
  });
}

/**
 * Stops serving a content's keys until it is active again. A second call changes nothing, but is audited and announced again, for
 * callers that want to be sure.
 *
 * @throws AppError CONTENT_NOT_FOUND
 */
export function disableContent(ledger: Ledger, id: string, facts: AuditFacts): Promise<Content> {
  return ledger.write(async (entry) => {
    const { tx, now } = entry;
    const found = await findContentToChange(tx, id);
    const content =
      found?.status === 'disabled' ? found : await updateContent(tx, id, { status: 'disabled' }, now);
    if (!content) throw new AppError('CONTENT_NOT_FOUND');
    await announceContent(entry, { before: found, after: content }, 'disabled', facts);
    return content;
  });
}

const actions = {
  created: 'content.create',
  updated: 'content.update',
  disabled: 'content.disable',
} as const;

/** Writes the audit row, the change for every cache that has the content, and the notice for the dashboard. */
async function announceContent(
  entry: LedgerEntry,
  { before, after }: { before: Content | null; after: Content },
  event: keyof typeof actions,
  facts: AuditFacts,
): Promise<void> {
  await entry.change({ kind: 'content', contentId: after.id });
  await entry.audit({
    ...{ ...facts, action: actions[event], target: after.id, outcome: 'done', code: null },
    details: { changes: compareContents(before, after) },
  });
  entry.notice({ topic: 'content', event, data: toContentAnswer(after) });
}
