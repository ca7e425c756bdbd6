import type { Fault } from './source.ts';

/** Every fault of the configuration in one error. Its message is written for the operator's terminal. */
export class ConfigError extends Error {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    super([`The configuration has ${count}:`, ...faults.map((fault) => `  - ${fault.message}`)].join('\n'));
    this.name = 'ConfigError';
    this.faults = faults;
  }
}
