/** The smallest value that at least this share of the values do not exceed; NaN without values. Values need not be sorted. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** p50, p99 and the maximum in milliseconds, as cells of a table. */
export function spread(values: readonly number[]): string[] {
  return [quantile(values, 0.5), quantile(values, 0.99), Math.max(...values)].map((value) =>
    value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en'),
  );
}
