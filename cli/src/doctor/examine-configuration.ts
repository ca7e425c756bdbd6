import { randomBytes } from 'node:crypto';
import {
  ConfigError,
  isForSeparateServices,
  makeMissingSecrets,
  readSeparateServiceConfig,
  readSingleNodeConfig,
  Secret,
  type SingleNodeValues,
} from '@latchkey/shared/config';
import type { Variables } from '../keys/read-variable.ts';
import type { Finding } from './finding.ts';

export interface Configuration {
  /** What the rest is examined with. Master keys are none where none is set; null where more than secrets is amiss. */
  values: SingleNodeValues | null;
  /** The secrets that are missing and that a first run makes. */
  willBeMade: string[];
  found: Finding[];
}

/**
 * Every variable, as the processes read it at their start: those of a single node, and where the environment is one of
 * separate services, what these read beside them. Secrets that a single node makes itself are no fault of its own.
 */
export function examineConfiguration(env: Variables): Configuration {
  // Separate services make nothing: each would make another master key.
  const made = isForSeparateServices(env) ? {} : makeMissingSecrets(env, randomBytes);
  const single = examineReading(() => readSingleNodeConfig({ ...env, ...made }));
  const separate = isForSeparateServices(env) ? examineReading(() => readSeparateServiceConfig(env)) : null;
  const found = [...single.found, ...(separate?.found ?? [])];
  if (!found.some(({ state }) => state === 'wrong')) {
    const says = separate
      ? 'every variable can be used, those of separate services too'
      : 'every variable can be used';
    found.unshift({ state: 'ok', about: 'configuration', says });
  }
  return { values: readWithoutSecrets(env), willBeMade: Object.keys(made), found };
}

/** Whether or not secrets are missing, there may be more to say of the database and of the port. */
function readWithoutSecrets(env: Variables): SingleNodeValues | null {
  const missing = makeMissingSecrets({ ...env, NODE_ENV: undefined, NODE_ENV_FILE: undefined }, randomBytes);
  const { values } = examineReading(() => readSingleNodeConfig({ ...env, ...missing }));
  return values && 'MASTER_KEY_HEX' in missing ? { ...values, masterKeys: new Secret([]) } : values;
}

function examineReading<V>(read: () => { values: V; warnings: readonly string[] }): {
  values: V | null;
  found: Finding[];
} {
  try {
    const { values, warnings } = read();
    return { values, found: warnings.map((says) => ({ state: 'warning', about: 'configuration', says })) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const found = error.faults.map(
      ({ variable, message }): Finding => ({ state: 'wrong', about: variable, says: message }),
    );
    return { values: null, found };
  }
}
