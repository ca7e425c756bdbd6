import { table } from '../table.ts';
import type { StartSample } from './measure-start.ts';

/** The first start and the median of the others. */
export function reportStart(samples: readonly StartSample[]): string {
  const row = (name: string, chosen: readonly StartSample[]) => {
    const median = (read: (sample: StartSample) => number) =>
      [...chosen.map(read)].sort((a, b) => a - b)[Math.floor(chosen.length / 2)] ?? Number.NaN;
    return [
      name,
      (median((sample) => sample.readyMs) / 1_000).toFixed(2),
      (median((sample) => sample.cpuMs) / 1_000).toFixed(2),
      median((sample) => sample.residentMib).toFixed(0),
      median((sample) => sample.npmMib).toFixed(0),
    ];
  };
  const head = [
    '`npm start`',
    'ready after, s',
    'CPU time until then, s',
    'resident, MiB',
    'npm itself, MiB',
  ];
  return table(head, [
    row(
      'without compiled code',
      samples.filter(({ isFirst }) => isFirst),
    ),
    row(
      'second and later ones, median',
      samples.filter(({ isFirst }) => !isFirst),
    ),
  ]);
}
