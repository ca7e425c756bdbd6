import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type AuditView, readView, writeView } from './audit-filter.ts';

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
