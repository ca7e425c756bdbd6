import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';

/** How the filter of a page is kept in its address, so that it can be bookmarked and shared. */
export interface AddressForm<Filter> {
  /** Ignores unknown values. */
  read: (params: URLSearchParams) => Filter;
  write: (filter: Filter) => URLSearchParams;
}

export type ChangeFilter<Filter> = (part: Partial<Filter>) => void;

/** @param form the same at each call */
export function useAddressFilter<Filter>({
  read,
  write,
}: AddressForm<Filter>): [Filter, ChangeFilter<Filter>] {
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

/** A parameter of the address: one of some values, or the text that a function makes of any text. */
type Field = readonly string[] | ((text: string) => string);

/** A missing text is empty, and a missing choice is null. */
type FilterOf<Fields extends Record<string, Field>> = {
  [Name in keyof Fields]: Fields[Name] extends readonly (infer Value extends string)[]
    ? Value | null
    : string;
};

interface FilterForm<Filter> extends AddressForm<Filter> {
  /** Matches all rows, in the usual order. */
  everything: Filter;
  /** Whether it leaves rows out. An order and a page do not. */
  isNarrowed: (filter: Filter) => boolean;
}

export const anyText = (text: string): string => text;

/** A text to search for. Pasted IDs often have spaces around them. */
export const searchText = (text: string): string => text.trim();

/** @param fields by the names of their parameters */
export function createFilter<const Fields extends Record<string, Field>>(
  fields: Fields,
): FilterForm<FilterOf<Fields>> {
  const read = (params: URLSearchParams) => {
    const values = Object.entries(fields).map(([name, field]) => [
      name,
      typeof field === 'function' ? field(params.get(name) ?? '') : oneOf(params, name, field),
    ]);
    return Object.fromEntries(values) as FilterOf<Fields>;
  };
  return {
    read,
    write: toParams,
    everything: read(new URLSearchParams()),
    isNarrowed: (filter) => toParams({ ...filter, sort: null, page: null }).size > 0,
  };
}

/** The filter of a list, and the props of its controls. */
export function useFilter<Filter>(form: FilterForm<Filter>) {
  const [filter, changeFilter] = useAddressFilter(form);
  // Another filter starts at its first page.
  const change = useCallback<ChangeFilter<Filter>>(
    (part) => changeFilter({ page: '', ...part }),
    [changeFilter],
  );
  return {
    filter,
    change,
    isNarrowed: form.isNarrowed(filter),
    reset: () => change(form.everything),
    field: bindTo(filter, change),
  };
}

/** The props of a control that shows and changes one field of a filter. */
export function bindTo<Filter>(filter: Filter, change: ChangeFilter<Filter>) {
  return <Name extends keyof Filter>(name: Name) => ({
    value: filter[name],
    onChange: (value: Filter[Name]) => change({ [name]: value } as unknown as Partial<Filter>),
  });
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
