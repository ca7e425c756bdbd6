import { median } from '../median.ts';
import { table } from '../table.ts';
import type { StartSample } from './measure-start.ts';

/** The first start and the median of the others. */
export function reportStart(samples: readonly StartSample[]): string {
  const row = (name: string, isFirst: boolean) => {
    const chosen = samples.filter((sample) => sample.isFirst === isFirst);
    const middle = (read: (sample: StartSample) => number) => median(chosen.map(read));
    return [
      name,
      (middle(({ readyMs }) => readyMs) / 1_000).toFixed(2),
      (middle(({ cpuMs }) => cpuMs) / 1_000).toFixed(2),
      middle(({ residentMib }) => residentMib).toFixed(0),
      middle(({ npmMib }) => npmMib).toFixed(0),
      isFirst ? '–' : (middle(({ awayMs }) => awayMs ?? 0) / 1_000).toFixed(2),
    ];
  };
  const head = [
    '`npm start`',
    'ready after, s',
    'CPU time until then, s',
    'resident, MiB',
    'npm itself, MiB',
    'away in a restart, s',
  ];
  return table(head, [row('without compiled code', true), row('second and later ones, median', false)]);
}
