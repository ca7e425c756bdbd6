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
import { type Finding, ok, warning, wrong } from './finding.ts';

/**
 * Reads every variable as a single node does at its start, and also as separate services do if the environment is for them.
 * Missing secrets that a single node makes itself are not a fault.
 *
 * @returns the values for the other examinations, without master keys if none is set, or null if more than secrets is wrong; and the missing
 *   secrets, which a first run makes
 */
export function examineConfiguration(env: Variables) {
  // Separate services make nothing: each would make another master key.
  const made = isForSeparateServices(env) ? {} : makeMissingSecrets(env, randomBytes);
  const single = examineReading(() => readSingleNodeConfig({ ...env, ...made }));
  const separate = isForSeparateServices(env) ? examineReading(() => readSeparateServiceConfig(env)) : null;
  const found = [...single.found, ...(separate?.found ?? [])];
  for (const { code, detail, documentation } of judgePreviousSecrets({
    ...single.values,
    ...separate?.values,
  }))
    found.push(warning(code.replace(/_SET$/, ''), detail, { mend: `read ${documentation}` }));
  if (!found.some(({ state }) => state === 'wrong')) {
    const also = separate ? ', also for separate services' : '';
    found.unshift(ok('configuration', `every variable can be used${also}`));
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
    return { values, found: warnings.map((says) => warning('configuration', says)) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { values: null, found: error.faults.map(({ variable, message }) => wrong(variable, message)) };
  }
}

/** Typing errors in a name. */
const mostErrors = 2;
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
    const meant = [...known].find((candidate) => isNear(name, candidate));
    if (meant) found.push(warning(set, 'is read by nobody', { mend: `did you mean ${meant}?` }));
  }
  return found;
}

/** Whether a few insertions, deletions and substitutions of characters make one text the other. */
function isNear(a: string, b: string, edits = mostErrors): boolean {
  if (a === b) return true;
  if (edits === 0) return false;
  let same = 0;
  while (a[same] === b[same]) same++;
  const [restOfA, restOfB] = [a.slice(same), b.slice(same)];
  return (
    isNear(restOfA.slice(1), restOfB, edits - 1) ||
    isNear(restOfA, restOfB.slice(1), edits - 1) ||
    isNear(restOfA.slice(1), restOfB.slice(1), edits - 1)
  );
}

/** Bits that let others than the owner read, write or run (chmod(2)). */
const others = 0o077;

/** The file in which a first run kept its secrets. @returns `kept`: secrets of the file that the server uses */
export function examineSecretsFile(env: Variables) {
  try {
    const file = readSecretsFile(env);
    const { values, warnings } = readKeptSecrets(file, env);
    const { path } = file;
    const unused = warnings.map((says) => warning(path, says));
    return { kept: values, path, found: file.text === null ? [] : [examineMode(path), ...unused] };
  } catch (error) {
    const { path = 'latchkey.env' } = error as NodeJS.ErrnoException;
    const says = `holds the secrets of the first run, and cannot be read: ${explainError(error)}`;
    const mend = 'run this as the user that runs the server, and the server as the owner of that file';
    return { kept: {}, path, found: [wrong(path, says, { mend })] };
  }
}

function examineMode(path: string): Finding {
  const mode = statSync(path).mode & 0o777;
  if ((mode & others) === 0)
    return ok(path, 'holds the secrets of the first run, readable by its owner alone; back it up');
  const says = `can be read by others (mode ${mode.toString(8).padStart(3, '0')}); who reads it can play everything`;
  return warning(path, says, { mend: `chmod 600 ${path}` });
}
