const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte', 'petabyte'] as const;

/** In the largest unit of which there is one, thousands apart: "1.4 GB". @param octets a whole number */
export function formatSize(octets: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(octets, 1)) / 3));
  const unitDisplay = power === 0 ? 'long' : 'short';
  return new Intl.NumberFormat('en', {
    ...{ style: 'unit', unit: units[power], unitDisplay },
    maximumFractionDigits: power === 0 ? 0 : 1,
  } as Intl.NumberFormatOptions).format(octets / 1_000 ** power);
}
