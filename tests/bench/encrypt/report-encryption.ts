import { median } from '../quantile.ts';
import { table } from '../table.ts';
import type { EncryptionSample } from './measure-encryption.ts';

/** A table of medians. The ratio is CPU time of openssl to that of the program: above 1, the program needs less. */
export function reportEncryption(samples: readonly EncryptionSample[]): string {
  const sizes = [...new Set(samples.map(({ segmentBytes }) => segmentBytes))];
  const lines = sizes.flatMap((size) => {
    const ofSize = samples.filter(({ segmentBytes }) => segmentBytes === size);
    const cpuOf = (program: string) =>
      median(ofSize.filter((sample) => sample.program === program).map(({ cpuSeconds }) => cpuSeconds));
    return [...new Set(ofSize.map(({ program }) => program))].map((program) => {
      const own = ofSize.filter((sample) => sample.program === program);
      return [
        `${size / 1024 / 1024} MiB`,
        program,
        cpuOf(program).toFixed(2),
        (cpuOf('openssl enc') / cpuOf(program)).toFixed(2),
        median(own.map(({ seconds }) => seconds)).toFixed(2),
        program === 'openssl enc'
          ? ''
          : `${Math.round(Math.max(...own.map(({ peakKiB }) => peakKiB)) / 1024)}`,
      ];
    });
  });
  return table(['segments', 'program', 'CPU, s', 'ratio', 'time, s', 'memory, MiB'], lines);
}
