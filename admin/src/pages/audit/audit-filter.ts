import { type AuditFilter, auditOutcomes } from '../../api/audit.ts';
import { type ChangeFilter, oneOf, toParams, useAddressFilter } from '../../state/use-address-filter.ts';

/** The filter of the table and of an export. */
export interface AuditView {
  actor: string;
  target: string;
  /** Empty for all actions. */
  action: string;
  outcome: (typeof auditOutcomes)[number] | null;
  /** ISO 8601 in UTC, so that the address means the same everywhere; empty for no limit. */
  from: string;
  to: string;
}

export const everything: AuditView = { actor: '', target: '', action: '', outcome: null, from: '', to: '' };

/** The form that the server accepts. */
const actionPattern = /^[a-z.-]{1,64}$/;

/** Reads the filter from the query of an address. */
export function readView(params: URLSearchParams): AuditView {
  const action = params.get('action') ?? '';
  return {
    actor: params.get('actor') ?? '',
    target: params.get('target') ?? '',
    action: actionPattern.test(action) ? action : '',
    outcome: oneOf(params, 'outcome', auditOutcomes),
    from: instantOf(params.get('from')),
    to: instantOf(params.get('to')),
  };
}

export function writeView({ actor, target, action, outcome, from, to }: AuditView): URLSearchParams {
  return toParams({ actor, target, action, outcome, from, to });
}

/** The request for the server. Pasted IDs often have spaces around them. */
export function toAuditFilter({ actor, target, action, outcome, from, to }: AuditView): AuditFilter {
  return {
    actor: actor.trim() || undefined,
    target: target.trim() || undefined,
    action: action || undefined,
    outcome: outcome ?? undefined,
    from: from || undefined,
    to: to || undefined,
  };
}

export function isNarrowed(view: AuditView): boolean {
  return writeView(view).size > 0;
}

/** Whether the range is empty. */
export function isBackwards({ from, to }: AuditView): boolean {
  return from !== '' && to !== '' && Date.parse(from) >= Date.parse(to);
}

function instantOf(text: string | null): string {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

export type ChangeView = ChangeFilter<AuditView>;

export function useAuditView(): [AuditView, ChangeView] {
  return useAddressFilter(readView, writeView);
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

/** @param field value of a `datetime-local` field @returns ISO 8601 in UTC; empty for an invalid time */
export function fromLocalField(field: string): string {
  const ms = Date.parse(field);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}
