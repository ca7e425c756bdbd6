import { listSizes } from '../fill-database.ts';
import { median } from '../quantile.ts';
import { table } from '../table.ts';
import type { DashboardSample } from './measure-dashboard.ts';

/** How long a page may take to react to a keystroke or a click. */
const limitMs = 300;

/** Whether each round of an interaction ended in time. */
export function isQuick({ tookMs, fault }: DashboardSample): boolean {
  return fault === null && Math.max(...tookMs) <= limitMs;
}

export function reportDashboard(database: string, samples: readonly DashboardSample[]): string {
  const rows = samples.map((sample) => {
    const { name, tookMs, fault } = sample;
    if (fault !== null) return [name, '–', '–', fault];
    const [p50, max] = [median(tookMs), Math.max(...tookMs)].map((ms) => `${Math.round(ms)} ms`);
    return [name, p50 ?? '', max ?? '', isQuick(sample) ? '' : `over ${limitMs} ms`];
  });
  const { apiKeys, contents, leases, auditRows } = listSizes;
  const [keys, contentCount, leaseCount, entries] = [apiKeys, contents, leases, auditRows].map((count) =>
    count.toLocaleString('en'),
  );
  const late = samples.filter((sample) => !isQuick(sample)).length;
  return [
    `${database} with ${keys} API keys, ${contentCount} contents, ${leaseCount} leases and ${entries} rows of audit.`,
    'From the last keystroke or click to the frame that shows the answer, the pause of the search field included.',
    '',
    table(['', 'p50', 'max', ''], rows),
    '',
    late === 0 ? `All within ${limitMs} ms.` : `${late} not within ${limitMs} ms.`,
  ].join('\n');
}
