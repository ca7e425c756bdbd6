const count = new Intl.NumberFormat('en');

/** With thousands separators: "1,204". */
export function formatCount(value: number): string {
  return count.format(value);
}

/** The number of rows of a list: "1,204", or "10,000 or more" if the count stops there. */
export function formatTotal(total: number, countedUpTo = Number.POSITIVE_INFINITY): string {
  return total < countedUpTo ? formatCount(total) : `${formatCount(countedUpTo)} or more`;
}

/** A number and its noun: "1 lease", "1,204 leases". */
export function countOf(value: number, noun: string): string {
  return `${formatCount(value)} ${value === 1 ? noun : `${noun}s`}`;
}

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** In the largest unit of which there is at least one: "1.4 GB". @param bytes a whole number */
export function formatSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const unitDisplay = power === 0 ? 'long' : 'short';
  return new Intl.NumberFormat('en', {
    ...{ style: 'unit', unit: units[power], unitDisplay },
    maximumFractionDigits: power === 0 ? 0 : 1,
  } as Intl.NumberFormatOptions).format(bytes / 1_000 ** power);
}

const number = (digits: number) => new Intl.NumberFormat('en', { maximumFractionDigits: digits });
const [whole, tenths, hundredths] = [number(0), number(1), number(2)];

/** With more digits the smaller it is. @param wholeFrom from this value on it has no decimals */
function formatShort(value: number, wholeFrom = 10): string {
  return (value >= wholeFrom ? whole : value >= 1 ? tenths : hundredths).format(value);
}

/** "0.84 ms", "3.4 ms", "120 ms", "1.2 s". @param ms milliseconds */
export function formatDuration(ms: number): string {
  return ms >= 1_000 ? `${tenths.format(ms / 1_000)} s` : `${formatShort(ms)} ms`;
}

/** ", applied everywhere after 34 ms"; empty if the answer did not wait. */
export function describeApplied({ appliedAfterMs }: { appliedAfterMs?: number }): string {
  if (appliedAfterMs === undefined) return '';
  return `, applied everywhere after ${formatDuration(Math.max(1, appliedAfterMs))}`;
}

/** "0.05 %", "4.2 %", "37 %". @param share 0 to 1 */
export function formatShare(share: number): string {
  return `${formatShort(share * 100)} %`;
}

/** A rate per second: "0.05", "12.5", "1,204". */
export function formatRate(perSecond: number): string {
  return formatShort(perSecond, 100);
}
