/**
 * Which viewer holds which lease of which content. The same arithmetic makes the rows in the database and the viewers who
 * ask, so that no list of a million ids has to be passed around.
 */
export interface Population {
  leases: number;
  contents: number;
}

/** One lease in ten is for the popular content. */
const popularEvery = 10;
export const popularContentId = 'film-0';
const leasesPerViewer = 2;

// UUIDs of digits alone. Their beginnings are scattered as those of random UUIDs are, so that an index on them is not faster
// than in production. The factor and the range have no common divisor, so no two beginnings are the same.
const scatterFactor = 61_803_397;
const scatterRange = 90_000_000;
const scatterFrom = 10_000_000;
const tailFrom = 100_000_000_000;
const middle = '-0000-4000-8000-';

export function viewersOf({ leases }: Population): number {
  return Math.ceil(leases / leasesPerViewer);
}

/** @param n the number of the lease, from 0 on; viewer n holds lease n, and a second one beyond the number of viewers */
export function leaseId(n: number): string {
  return `${scatterFrom + ((n * scatterFactor) % scatterRange)}${middle}${tailFrom + n}`;
}

export function viewerId(n: number, population: Population): string {
  return `viewer-${n % viewersOf(population)}`;
}

export function contentId(n: number, { contents }: Population): string {
  return n % popularEvery === 0 ? popularContentId : `film-${1 + (n % (contents - 1))}`;
}

/** The same in SQL for both databases, with `n` as the column of the number. */
export function leaseSql({ contents, leases }: Population) {
  return {
    leaseId: `(${scatterFrom} + (n * ${scatterFactor}) % ${scatterRange}) || '${middle}' || (${tailFrom} + n)`,
    viewerId: `'viewer-' || (n % ${viewersOf({ contents, leases })})`,
    contentId: `case when n % ${popularEvery} = 0 then '${popularContentId}' else 'film-' || (1 + n % ${contents - 1}) end`,
  };
}
