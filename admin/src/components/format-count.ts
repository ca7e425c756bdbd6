const count = new Intl.NumberFormat('en');

/** With its thousands apart: "1,204". */
export function formatCount(value: number): string {
  return count.format(value);
}

/** A number and what it counts: "1 lease", "1,204 leases". @param many of the plural, where it is not an s more */
export function countOf(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}
