import type { LatencyMs } from '../load/order.ts';
import { table } from '../table.ts';
import type { CrossMode } from './event-order.ts';
import type { EventProfile } from './event-target.ts';
import type { Crossing, EventStart } from './measure-event.ts';

const profileNames: Readonly<Record<EventProfile, string>> = {
  single: 'single node, SQLite',
  distributed: 'one process of each service, Postgres, Redis, NATS',
};
const modeNames: Readonly<Record<CrossMode, string>> = {
  ahead: 'fetched ahead by our player',
  together: 'all within the second of the new period',
};

export function reportEventStarts(starts: readonly EventStart[]): string {
  const head = ['', 'request', 'p50, ms', 'p99, ms', 'max, ms', 'p99 of the first second, ms', 'answers'];
  const rows = starts.flatMap(({ profile, join: { lease, key, firstSecond } }) => [
    [
      profileNames[profile],
      'lease',
      ...cells(lease.latency),
      ms(firstSecond.lease.p99),
      list(lease.statuses),
    ],
    ['', 'key', ...cells(key.latency), ms(firstSecond.key.p99), list(key.statuses)],
  ]);
  return `${table(head, rows)}\n\n${cpuTable(starts.map(({ profile, cpu }) => ({ name: profileNames[profile], cpu })))}`;
}

export function reportCrossings(crossings: readonly Crossing[]): string {
  const head = ['', 'key of the next period', 'stampede factor', 'p50, ms', 'p99, ms', 'max, ms', 'answers'];
  const rows = crossings.map(({ profile, mode, result }) => [
    profileNames[profile],
    modeNames[mode],
    result.stampedeFactor.toFixed(2),
    ...cells(result.key.latency),
    list(result.key.statuses),
  ]);
  const uses = crossings.map(({ profile, mode, cpu }) => ({
    name: `${profileNames[profile]}: ${modeNames[mode]}`,
    cpu,
  }));
  return `${table(head, rows)}\n\n${cpuTable(uses)}`;
}

function cpuTable(uses: readonly { name: string; cpu: EventStart['cpu'] }[]): string {
  const rows = uses.map(({ name, cpu }) => [
    name,
    cpu.map((each) => `${each.name}: ${(each.ms / 1_000).toFixed(1)}`).join(' · '),
  ]);
  return table(['', 'CPU time of the whole run, s'], rows);
}

function cells({ p50, p99, max }: LatencyMs): string[] {
  return [p50, p99, max].map(ms);
}

function ms(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0);
}

function list(statuses: Record<string, number>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
    .join(' · ');
}
