import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';

export type ChangeFilter<Filter> = (part: Partial<Filter>) => void;

/**
 * The filter of a page. It is part of the address, so that it can be bookmarked and shared.
 *
 * @param read ignores unknown values. Like `write`, the same function at each call
 */
export function useAddressFilter<Filter>(
  read: (params: URLSearchParams) => Filter,
  write: (filter: Filter) => URLSearchParams,
): [Filter, ChangeFilter<Filter>] {
  const [params, setParams] = useSearchParams();
  const filter = useMemo(() => read(params), [params, read]);
  const change = useCallback<ChangeFilter<Filter>>(
    (part) =>
      // Replaces the history entry: the back button leaves the page instead of undoing one letter.
      setParams((now) => write({ ...read(now), ...part }), { replace: true }),
    [setParams, read, write],
  );
  return [filter, change];
}

/** The value of a parameter; null for an unknown value. */
export function oneOf<Value extends string>(
  params: URLSearchParams,
  name: string,
  values: readonly Value[],
): Value | null {
  return values.find((value) => value === params.get(name)) ?? null;
}

/** The query of an address, without missing and empty values. */
export function toParams(values: Record<string, string | null | undefined>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
}
