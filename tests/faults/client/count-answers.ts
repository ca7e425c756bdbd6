import type { Answer } from './send-request.ts';

/** How often each name occurs: `200: 1,234 · 503: 5`. */
export function countNames(names: readonly string[]): string {
  return [...Map.groupBy(names, (name) => name)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, { length }]) => `${name}: ${length.toLocaleString('en')}`)
    .join(' · ');
}

/** Counts answers by status, and missing answers by their reason. */
export function countByStatus(answers: readonly Answer[]): string {
  return countNames(answers.map(({ status, code }) => (status === 0 ? code : String(status))));
}
