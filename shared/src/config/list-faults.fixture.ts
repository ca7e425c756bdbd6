import { ConfigError } from './settings.ts';

/** The faults of a configuration. Empty if it can be used. */
export function listFaults(read: () => unknown): ConfigError['faults'] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}
