import type { RuleFile } from './rules.ts';

/**
 * Seconds in place of the times of the rules, in the same order, so that faults of seconds raise the alerts that faults of minutes
 * raise in production. They are not in proportion: three days would be an hour, or 15 s would be nothing.
 *
 * The shortest is longer than the 2 s that a process may take to find a dependency down, during which it answers no scrape. The holds of
 * dependencies (5m) are longer than the 5 s for which a scrape shows the last check again, and one more check: one probe that met a pause
 * of the machine is no outage.
 */
export const shortenedSeconds: Readonly<Record<string, number>> = {
  '1m': 3,
  '2m': 4,
  '5m': 8,
  '10m': 9,
  '15m': 10,
  '30m': 10,
  '1h': 11,
  '2h': 11,
  '6h': 12,
  '1d': 12,
  '3d': 13,
};

/**
 * The rules with shortened windows (`[5m]`) and holds (`for: 5m`). Names, thresholds and labels stay.
 *
 * @throws Error for a time that has no shortened one
 */
export function shortenRules(files: readonly RuleFile[]): RuleFile[] {
  const shorten = (time: string): string => {
    const seconds = shortenedSeconds[time];
    if (seconds === undefined) throw new Error(`a rule has the time ${time}, which has no shortened one`);
    return `${seconds}s`;
  };
  return files.map(({ path, text }) => ({
    path,
    text: text
      .replace(/\[(\w+)\]/g, (_, time) => `[${shorten(time)}]`)
      .replace(/^( +for: )(\w+)$/gm, (_, before, time) => `${before}${shorten(time)}`),
  }));
}
