import { table } from '../table.ts';
import type { SessionSample } from './measure-sessions.ts';

const names = { single: 'single node', distributed: 'separate services' } as const;

export function reportSessions(samples: readonly SessionSample[]): string {
  const head = [
    '',
    'sessions',
    'playlists/s',
    'p50, ms',
    'p99, ms',
    'max, ms',
    'answers',
    'fetches of a playlist',
  ];
  const rows = samples.map(({ profile, sessions, result, fetches, elapsedSeconds }) => {
    const { latency, statuses } = result.playlists;
    const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    return [
      names[profile],
      sessions.toLocaleString('en'),
      Math.round(answered / result.seconds).toLocaleString('en'),
      ...[latency.p50, latency.p99, latency.max].map((ms) => ms.toFixed(1)),
      Object.entries(statuses)
        .map(([status, count]) => `${status}: ${count.toLocaleString('en')}`)
        .join(' · '),
      `${fetches} in ${elapsedSeconds.toFixed(0)} s`,
    ];
  });
  const uses = samples.map(({ profile, sessions, cpu }) => [
    `${names[profile]}, ${sessions.toLocaleString('en')}`,
    cpu.map((each) => `${each.name}: ${(each.ms / 1_000).toFixed(1)}`).join(' · '),
  ]);
  return `${table(head, rows)}\n\n${table(['', 'CPU time of the whole run, s'], uses)}`;
}
