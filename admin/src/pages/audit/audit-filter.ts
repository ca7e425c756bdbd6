import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type AuditFilter, auditOutcomes } from '../../api/audit.ts';

/** What the table is narrowed to, and what an export has in it; it stands in the address. */
export interface AuditView {
  actor: string;
  target: string;
  /** Empty for all of them. */
  action: string;
  outcome: (typeof auditOutcomes)[number] | null;
  /** ISO 8601 in UTC, so that the address means the same to everybody; empty for no bound. */
  from: string;
  to: string;
}

export const everything: AuditView = { actor: '', target: '', action: '', outcome: null, from: '', to: '' };

/** As the server takes it. */
const actionPattern = /^[a-z.-]{1,64}$/;

/** Reads the query of an address; what it does not know counts as absent. */
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

/** The query of an address that stands for the view. */
export function writeView(view: Partial<AuditView>): URLSearchParams {
  const { actor, target, action, outcome, from, to } = view;
  return new URLSearchParams(
    Object.entries({ actor, target, action, outcome, from, to }).flatMap(([name, value]) =>
      value ? [[name, value]] : [],
    ),
  );
}

/** What to ask the server. An id that was pasted brings spaces along. */
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

/** Whether no time is both after the one and before the other. */
export function isBackwards({ from, to }: AuditView): boolean {
  return from !== '' && to !== '' && Date.parse(from) >= Date.parse(to);
}

function instantOf(text: string | null): string {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

export type ChangeView = (part: Partial<AuditView>) => void;

/** The view that the address holds. */
export function useAuditView(): [AuditView, ChangeView] {
  const [params, setParams] = useSearchParams();
  const view = useMemo(() => readView(params), [params]);
  const change = useCallback<ChangeView>(
    (part) =>
      // Not a step of its own in the history: the button back leaves the page, not the last letter.
      setParams((now) => writeView({ ...readView(now), ...part }), { replace: true }),
    [setParams],
  );
  return [view, change];
}

/**
 * A time for a field of type `datetime-local`: the reader's own time zone, to the minute.
 *
 * @param instant ISO 8601, or empty
 * @returns such as `2027-01-31T13:00`; empty for what is no time
 */
export function toLocalField(instant: string): string {
  const ms = Date.parse(instant);
  if (Number.isNaN(ms)) return '';
  const date = new Date(ms);
  return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** @param field of a `datetime-local` @returns ISO 8601 in UTC; empty for what is no time */
export function fromLocalField(field: string): string {
  const ms = Date.parse(field);
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}
