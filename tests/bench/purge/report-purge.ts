import { quantile } from '../quantile.ts';
import { table } from '../table.ts';
import type { PurgeSample } from './measure-purge.ts';

/** What creations of leases took beside the purge, and how long its steps held their locks. */
export function reportPurge(samples: readonly PurgeSample[]): string {
  const lines = samples.map(({ name, alone, beside, rows, steps, longSteps, longestMs }) => [
    name,
    rows.toLocaleString('en'),
    steps.toLocaleString('en'),
    `${longestMs}`,
    String(longSteps),
    describeTimes(beside),
    describeTimes(alone),
  ]);
  const head = ['', 'leases removed', 'steps', 'longest step, ms at most', 'steps over 50 ms'];
  return table([...head, 'creations beside it, ms', 'creations before it, ms'], lines);
}

/** What creations of leases took beside `latchkey backup`. */
export function reportBackup(samples: readonly PurgeSample[]): string {
  const lines = samples.flatMap(({ name, alone, backup, backupMs }) =>
    backupMs === null
      ? []
      : [[name, (backupMs / 1_000).toFixed(1), describeTimes(backup), describeTimes(alone)]],
  );
  return table(
    ['', 'the command took, s', 'creations of leases beside it, ms', 'creations before it, ms'],
    lines,
  );
}

/** p50, p99 and the longest. */
function describeTimes(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, longest ${(sorted.at(-1) ?? 0).toFixed(1)}`;
}
