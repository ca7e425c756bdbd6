import type { QueryOf } from '../../api/api.ts';
import { auditOrders, auditOutcomes } from '../../api/resources.ts';
import { toInstant } from '../../components/format-time.ts';
import { createFilter, searchText } from '../../state/use-address-filter.ts';

/** The filters of the server. */
export type AuditQuery = Omit<QueryOf<'/api/v1/audit/export'>, 'format'>;

/** As many as the server takes. */
const mostActions = 50;
/** The form that the server accepts. */
const actionPattern = /^[a-z.-]{1,64}$/;

/** The filter of the table and of an export. */
export const auditFilter = createFilter({
  actor: searchText,
  target: searchText,
  /** Empty for all actions. */
  action: (text) => (actionPattern.test(text) ? text : ''),
  /** Actions that are left out, separated by commas. */
  without: (text) => readActions(text).join(),
  outcome: auditOutcomes,
  /** ISO 8601 in UTC, so that the address means the same everywhere; empty for no limit. */
  from: toInstant,
  to: toInstant,
  sort: auditOrders,
});
export type AuditView = typeof auditFilter.everything;

/** The actions of a text of the address, each once. */
export function readActions(text: string): string[] {
  const actions = text.split(',').filter((action) => actionPattern.test(action));
  return [...new Set(actions)].slice(0, mostActions);
}
