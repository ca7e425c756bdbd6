import type { AuditRecord } from '../../api/audit.ts';

/** How many of the records that were found are newer than all that are known; 0 where none are known. Both newest first. */
export function countNewer(found: readonly AuditRecord[], known: readonly AuditRecord[]): number {
  const [newest] = known;
  if (!newest) return 0;
  // Numbers too large for a text to be compared as such: the longer one is greater.
  const isNewer = ({ id }: AuditRecord) =>
    id.length > newest.id.length || (id.length === newest.id.length && id > newest.id);
  return found.filter(isNewer).length;
}
