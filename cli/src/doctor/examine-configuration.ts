import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import {
  ConfigError,
  descriptionsOf,
  isForSeparateServices,
  makeMissingSecrets,
  readKeptSecrets,
  readSecretsFile,
  readSeparateServiceConfig,
  readSingleNodeConfig,
  Secret,
  type SingleNodeValues,
  separateServiceSettings,
  singleNodeSettings,
} from '@latchkey/shared/config';
import { judgePreviousSecrets } from '@latchkey/shared/statistics';
import { explainError } from '../explain-error.ts';
import type { Variables } from '../keys/variables.ts';
import type { Finding } from './finding.ts';

interface Configuration {
  /** For the other examinations. Without master keys if none is set; null if more than secrets is wrong. */
  values: SingleNodeValues | null;
  /** Missing secrets, which a first run makes. */
  willBeMade: string[];
  found: Finding[];
}

/**
 * Reads every variable as a single node does at its start, and also as separate services do if the environment is for them.
 * Missing secrets that a single node makes itself are not a fault.
 */
export function examineConfiguration(env: Variables): Configuration {
  // Separate services make nothing: each would make another master key.
  const made = isForSeparateServices(env) ? {} : makeMissingSecrets(env, randomBytes);
  const single = examineReading(() => readSingleNodeConfig({ ...env, ...made }));
  const separate = isForSeparateServices(env) ? examineReading(() => readSeparateServiceConfig(env)) : null;
  const found = [...single.found, ...(separate?.found ?? [])];
  for (const { code, detail, documentation } of judgePreviousSecrets({
    ...single.values,
    ...separate?.values,
  }))
    found.push({
      state: 'warning',
      about: code.replace(/_SET$/, ''),
      says: detail,
      mend: `read ${documentation}`,
    });
  if (!found.some(({ state }) => state === 'wrong')) {
    const says = separate
      ? 'every variable can be used, also for separate services'
      : 'every variable can be used';
    found.unshift({ state: 'ok', about: 'configuration', says });
  }
  return { values: readWithoutSecrets(env), willBeMade: Object.keys(made), found };
}

/** The database and the port can be examined although secrets are missing. */
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

/** Typing errors in a name. */
const nearEnough = 2;
/** Shorter names are near to too many others, as PATH is to PORT. */
const shortestGuess = 7;

/** Finds variables with a typing error. The server ignores them silently, so a protection could be off. */
export function examineNames(env: Variables): Finding[] {
  const known = new Set(
    descriptionsOf({ ...singleNodeSettings, ...separateServiceSettings }).map(({ name }) => name),
  );
  const found: Finding[] = [];
  for (const set of Object.keys(env)) {
    const name = set.replace(/_FILE$/, '');
    if (
      known.has(name) ||
      known.has(set) ||
      name.length < shortestGuess ||
      /^(MASTER_KEY|SALT)_HEX_V\d+$/.test(name)
    )
      continue;
    const meant = [...known].find((candidate) => distance(name, candidate) <= nearEnough);
    if (!meant) continue;
    found.push({ state: 'warning', about: set, says: 'is read by nobody', mend: `did you mean ${meant}?` });
  }
  return found;
}

/** Levenshtein's distance: insertions, deletions and substitutions. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > nearEnough) return nearEnough + 1;
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, substitution));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Bits that let others than the owner read, write or run (chmod(2)). */
const others = 0o077;

interface ExaminedSecrets {
  /** Secrets of the file that the server uses. */
  kept: Readonly<Record<string, string>>;
  path: string;
  found: Finding[];
}

/** The file in which a first run kept its secrets. */
export function examineSecretsFile(env: Variables): ExaminedSecrets {
  try {
    const file = readSecretsFile(env);
    const { values, warnings } = readKeptSecrets(file, env);
    const unused = warnings.map((says): Finding => ({ state: 'warning', about: file.path, says }));
    return {
      kept: values,
      path: file.path,
      found: file.text === null ? [] : [...examineMode(file.path), ...unused],
    };
  } catch (error) {
    const { path = 'latchkey.env' } = error as NodeJS.ErrnoException;
    const finding: Finding = {
      state: 'wrong',
      about: path,
      says: `holds the secrets of the first run, and cannot be read: ${explainError(error)}`,
      mend: 'run this as the user that runs the server, and the server as the owner of that file',
    };
    return { kept: {}, path, found: [finding] };
  }
}

function examineMode(path: string): Finding[] {
  const mode = statSync(path).mode & 0o777;
  if ((mode & others) === 0) {
    const says = 'holds the secrets of the first run, readable by its owner alone; back it up';
    return [{ state: 'ok', about: path, says }];
  }
  const says = `can be read by others (mode ${mode.toString(8).padStart(3, '0')}); who reads it can play everything`;
  return [{ state: 'warning', about: path, says, mend: `chmod 600 ${path}` }];
}
