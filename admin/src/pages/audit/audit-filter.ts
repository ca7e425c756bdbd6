import type { QueryOf } from '../../api/api.ts';
import { auditOrders, auditOutcomes } from '../../api/resources.ts';
import { anyText, createFilter } from '../../state/use-address-filter.ts';

/** The filters of the server. */
export type AuditQuery = Pick<
  QueryOf<'/api/v1/audit'>,
  'action' | 'actor' | 'outcome' | 'target' | 'from' | 'to'
>;

/** The form that the server accepts. */
const actionPattern = /^[a-z.-]{1,64}$/;

/** The filter of the table and of an export. */
export const auditFilter = createFilter({
  actor: anyText,
  target: anyText,
  /** Empty for all actions. */
  action: (text) => (actionPattern.test(text) ? text : ''),
  outcome: auditOutcomes,
  /** ISO 8601 in UTC, so that the address means the same everywhere; empty for no limit. */
  from: toInstant,
  to: toInstant,
  sort: auditOrders,
});
export type AuditView = typeof auditFilter.everything;

/** Whether the range is empty. */
export function isBackwards({ from, to }: AuditView): boolean {
  return from !== '' && to !== '' && Date.parse(from) >= Date.parse(to);
}

/**
 * A value for a `datetime-local` field: in the reader's time zone, to the minute.
 *
 * @param instant ISO 8601, or empty
 * @returns such as `2027-01-31T13:00`; empty for an invalid time
 */
export function toLocalField(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param text of an address, or the value of a `datetime-local` field @returns ISO 8601 in UTC; empty for an invalid time */
export function toInstant(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}
