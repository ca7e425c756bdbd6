const number = (digits: number) => new Intl.NumberFormat('en', { maximumFractionDigits: digits });
const [whole, tenths, hundredths] = [number(0), number(1), number(2)];

/** "0.84 ms", "3.4 ms", "120 ms", "1.2 s". @param ms milliseconds */
export function formatDuration(ms: number): string {
  if (ms >= 1_000) return `${tenths.format(ms / 1_000)} s`;
  return `${(ms >= 10 ? whole : ms >= 1 ? tenths : hundredths).format(ms)} ms`;
}

/** "0.05 %", "4.2 %", "37 %". @param share 0 to 1 */
export function formatShare(share: number): string {
  const percent = share * 100;
  return `${(percent >= 10 ? whole : percent >= 1 ? tenths : hundredths).format(percent)} %`;
}
