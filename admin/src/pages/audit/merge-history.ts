import type { AuditRecord } from '../../api/schema.ts';

/** The newest records of several lists, newest first. One that is in two of them is shown once. */
export function mergeHistory(lists: readonly (readonly AuditRecord[])[], limit: number): AuditRecord[] {
  const byId = new Map(lists.flat().map((record) => [record.id, record]));
  // Ids are numbers that grow with time; as text, 9 would come after 10.
  return [...byId.values()].sort((a, b) => Number(b.id) - Number(a.id)).slice(0, limit);
}
