import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type AuditFilter, auditOutcomes } from '../../api/audit.ts';

/** The filter of the table and of an export. It is part of the address. */
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

/** Reads the filter from the query of an address. Unknown values are ignored. */
export function readView(params: URLSearchParams): AuditView {
  const action = params.get('action') ?? '';
  return {
    actor: params.get('actor') ?? '',
    target: params.get('target') ?? '',
    action: actionPattern.test(action) ? action : '',
    outcome: auditOutcomes.find((outcome) => outcome === params.get('outcome')) ?? null,
    from: instantOf(params.get('from')),
    to: instantOf(params.get('to')),
  };
}

/** Writes the view as the query of an address. */
export function writeView(view: Partial<AuditView>): URLSearchParams {
  const { actor, target, action, outcome, from, to } = view;
  return new URLSearchParams(
    Object.entries({ actor, target, action, outcome, from, to }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    ),
  );
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

export type ChangeView = (part: Partial<AuditView>) => void;

/** The view in the address. */
export function useAuditView(): [AuditView, ChangeView] {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => readView(params), [params]);
  const change = useCallback<ChangeView>(
    (part) =>
      // Replaces the history entry: the back button leaves the page instead of undoing one letter.
      setParams((now) => writeView({ ...readView(now), ...part }), { replace: true }),
    [setParams],
  );
  return [view, change];
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
