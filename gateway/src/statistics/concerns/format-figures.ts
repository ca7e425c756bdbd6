const formats: Intl.NumberFormat[] = [];

/** A format is made with its first number: the first one of a process takes 15 ms. */
function format(value: number, digits: number): string {
  formats[digits] ??= new Intl.NumberFormat('en', { maximumFractionDigits: digits });
  return formats[digits].format(value);
}

/** Two significant digits of a number below 100, and whole numbers above. */
const short = (value: number) => format(value, value >= 10 ? 0 : value >= 1 ? 1 : 2);

/** "0.84 ms", "3.4 ms", "120 ms", "1.2 s". @param ms milliseconds */
export function formatDuration(ms: number): string {
  return ms >= 1_000 ? `${format(ms / 1_000, 1)} s` : `${short(ms)} ms`;
}

/** "0.05 %", "4.2 %", "37 %". @param share 0 to 1 */
export function formatShare(share: number): string {
  return `${short(share * 100)} %`;
}
