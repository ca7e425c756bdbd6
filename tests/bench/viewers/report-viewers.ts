import type { RunResult } from '../load/order.ts';
import { median } from '../quantile.ts';
import { table } from '../table.ts';
import type { CrowdResult } from './ask-as-crowd.ts';
import type { ViewersResult } from './measure-viewers.ts';
import type { RevocationResult } from './revoke-under-load.ts';

/** Boots, latencies, memory, and the revocation. */
export function reportViewers(result: ViewersResult): string {
  return [
    reportBoots(result),
    reportLatency(result),
    reportMemory(result),
    reportRevocation(result.revocation),
  ].join('\n\n');
}

function reportBoots({ boots }: ViewersResult): string {
  const seconds = (tookMs: number[]) => (median(tookMs) / 1_000).toFixed(2);
  return table(
    ['from the start of the process until it is ready, s', 'no leases', 'all leases'],
    [[boots.what, seconds(boots.withoutLeasesMs), seconds(boots.withLeasesMs)]],
  );
}

function reportLatency({ crowds }: ViewersResult): string {
  return table(
    [
      'viewers',
      'connected in, s',
      'key requests',
      'p50, ms',
      'p99, ms',
      'max, ms',
      'answers',
      'load generator',
    ],
    crowds.flatMap((crowd) => [
      latencyRow(crowd, `the first of each viewer`, crowd.first),
      latencyRow(crowd, `steady, ${rateOf(crowd.steady)}/s`, crowd.steady),
    ]),
  );
}

function latencyRow({ viewers, connectSeconds }: CrowdResult, what: string, run: RunResult): string[] {
  const { p50, p99, max } = run.latency;
  return [
    viewers.toLocaleString('en'),
    connectSeconds.toFixed(1),
    what,
    p50.toFixed(2),
    p99.toFixed(2),
    max.toFixed(1),
    statusesOf(run.statuses, run.popularStatuses),
    `${(run.ownCpuShare * 100).toFixed(0)} % of a core`,
  ];
}

function reportMemory({ processes, memoryBefore, crowds, bare }: ViewersResult): string {
  // Only the first crowd of each size counts: a process does not return memory, so later ones show no growth.
  const sizes = [...new Set(crowds.map(({ viewers }) => viewers))];
  const firsts = sizes.flatMap((size) => crowds.find(({ viewers }) => viewers === size) ?? []);
  return table(
    ['VmRSS (VmHWM), MiB', 'before', ...sizes.map((size) => `with ${size.toLocaleString('en')} viewers`)],
    processes.map((name, n) => [
      name,
      ...[memoryBefore, ...firsts.map(({ memory }) => memory)].map((memory) => {
        const { residentKiB = 0, peakKiB = 0 } = memory[n] ?? {};
        return `${mebibytes(residentKiB)} (${mebibytes(peakKiB)})`;
      }),
    ]),
  ).concat('\n\n', grownBy(processes, memoryBefore, firsts), bareGrownBy(bare));
}

/** The floor: what Node takes for a connection. */
function bareGrownBy([small, large]: readonly CrowdResult[]): string {
  const [less, more] = [small, large].map((crowd) => crowd?.memory[0]?.residentKiB ?? 0);
  if (!small || !large || small.viewers === large.viewers) return '';
  const kib = ((more ?? 0) - (less ?? 0)) / (large.viewers - small.viewers);
  return ` For each further connection of a bare \`node:http\` server: ${kib.toFixed(1)}.`;
}

function grownBy(
  processes: readonly string[],
  before: ViewersResult['memoryBefore'],
  firsts: readonly CrowdResult[],
): string {
  const [small, large] = [firsts[0], firsts.at(-1)];
  if (!small || !large || small === large) return '';
  const more = processes.map((name, n) => {
    const grownKiB =
      (large.memory[n]?.residentKiB ?? 0) - (small.memory[n]?.residentKiB ?? before[n]?.residentKiB ?? 0);
    return `${name} ${(grownKiB / (large.viewers - small.viewers)).toFixed(1)}`;
  });
  return `KiB for each further viewer: ${more.join(', ')}.`;
}

function reportRevocation({
  status,
  revoked,
  tookMs,
  load,
  lastKeyAfterMs,
  before,
  after,
}: RevocationResult): string {
  const grownKiB = after.map(({ peakKiB }, n) => peakKiB - (before[n]?.residentKiB ?? 0));
  const { p50, p99, max } = load.latency;
  const rows = [
    ['its answer', String(status)],
    ['leases that it revoked', revoked === null ? 'not known' : revoked.toLocaleString('en')],
    ['until it was answered, ms', tookMs.toFixed(0)],
    [
      'memory beyond what was held before, at most, of any one process, MiB',
      mebibytes(Math.max(...grownKiB)),
    ],
    [
      'meanwhile, key requests for other contents: p50, p99, max, ms',
      [p50, p99, max].map((ms) => ms.toFixed(1)).join(', '),
    ],
    ['their answers', statusesOf(load.statuses)],
    ['answers to viewers of the content', statusesOf(load.popularStatuses)],
    [
      'the last request that brought one of them a key was sent, ms after the answer',
      lastKeyAfterMs === null ? 'none' : lastKeyAfterMs.toFixed(1),
    ],
  ];
  return table(['the revocation of one content', ''], rows);
}

function rateOf({ requests, seconds }: RunResult): string {
  return Math.round(requests / seconds).toLocaleString('en');
}

function statusesOf(...all: Record<string, number>[]): string {
  const sums = new Map<string, number>();
  for (const statuses of all)
    for (const [status, count] of Object.entries(statuses)) sums.set(status, (sums.get(status) ?? 0) + count);
  return [...sums].map(([status, count]) => `${status}: ${count.toLocaleString('en')}`).join(', ');
}

function mebibytes(kib: number): string {
  return (kib / 1_024).toFixed(0);
}
