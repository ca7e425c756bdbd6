import type { RuleFile } from './rules.ts';

/**
 * Seconds in place of the times of the rules, in the same order, so that faults of seconds raise the alerts that faults of minutes
 * raise in production. They are not in proportion: three days would be an hour, or 15 s would be nothing.
 *
 * The shortest is longer than the 2 s that a process may take to find a dependency down, during which it answers no scrape.
 */
export const shortenedSeconds: Readonly<Record<string, number>> = {
  '1m': 3,
  '2m': 4,
  '5m': 5,
  '10m': 6,
  '15m': 8,
  '30m': 8,
  '1h': 9,
  '2h': 9,
  '6h': 10,
  '1d': 10,
  '3d': 11,
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
