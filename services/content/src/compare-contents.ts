import type { AuditDetails } from '@latchkey/shared/contracts';
import type { Content } from './content.ts';
import { toContentAnswer } from './content-schema.ts';

/** The members that an edit may change. */
const compared = [
  'name',
  'status',
  'keyPeriods',
  'sizeBytes',
  'manifestKey',
  'playlistUrl',
  'metadata',
] as const;

/** The members that an edit may change, before and after it, as the API shows them. @param before null for a content that is new */
export function compareContents(
  before: Content | null,
  after: Content,
): NonNullable<AuditDetails['changes']> {
  const [old, now] = [before && toContentAnswer(before), toContentAnswer(after)];
  return Object.fromEntries(
    compared.map((name) => [name, { before: old?.[name] ?? null, after: now[name] ?? null }]),
  );
}
