/**
 * Who holds which lease of what. The same arithmetic makes the rows in the database and the viewers that ask, so that
 * neither has to be told about a million of the other.
 */
export interface Population {
  leases: number;
  contents: number;
}

/** One lease in ten is for the content that everyone watches. */
const popularEvery = 10;
export const popularContentId = 'film-0';
const leasesPerViewer = 2;

// UUIDs of digits alone. What they begin with is scattered over its whole range, as with random ones, so that an index on
// them is no faster than in life: the factor has no divisor in common with the range, so no two are the same.
const scatterFactor = 61_803_397;
const scatterRange = 90_000_000;
const scatterFrom = 10_000_000;
const tailFrom = 100_000_000_000;
const middle = '-0000-4000-8000-';

export function viewersOf({ leases }: Population): number {
  return Math.ceil(leases / leasesPerViewer);
}

/** @param n the number of the lease, from 0 on; lease n is held by viewer n, as long as there are so many viewers */
export function leaseId(n: number): string {
  return `${scatterFrom + ((n * scatterFactor) % scatterRange)}${middle}${tailFrom + n}`;
}

export function viewerId(n: number, population: Population): string {
  return `viewer-${n % viewersOf(population)}`;
}

export function contentId(n: number, { contents }: Population): string {
  return n % popularEvery === 0 ? popularContentId : `film-${1 + (n % (contents - 1))}`;
}

/** The same as SQL that both databases read, with `n` as the column of the number. */
export function leaseSql({ contents, leases }: Population) {
  return {
    leaseId: `(${scatterFrom} + (n * ${scatterFactor}) % ${scatterRange}) || '${middle}' || (${tailFrom} + n)`,
    viewerId: `'viewer-' || (n % ${viewersOf({ contents, leases })})`,
    contentId: `case when n % ${popularEvery} = 0 then '${popularContentId}' else 'film-' || (1 + n % ${contents - 1}) end`,
  };
}
