import { createSource, type Environment, type Fault, type ReadFile } from './source.ts';
import type { Setting } from './variable.ts';

/** Settings by the name that the code uses. */
// biome-ignore lint/suspicious/noExplicitAny: a record of settings of any value; `Values` gives each its own type back
export type Settings = Readonly<Record<string, Setting<any>>>;
/** The values of settings, by the same names. */
export type Values<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/**
 * A rule that must hold between several variables. It reads the values that it `uses`. A service that does not declare
 * all of them may still apply it; the missing ones are undefined. The rule is skipped where one of them already has a
 * fault, so that one mistake is not reported twice.
 */
export interface Rule<V extends object> {
  readonly uses: readonly (keyof V & string)[];
  check(values: V): readonly Fault[];
}

export interface ReadConfigOptions<S extends Settings> {
  /** Reads `<name>_FILE`; defaults to the file system. */
  readFile?: ReadFile;
  rules?: readonly Rule<Partial<Values<S>>>[];
}
export interface Config<S extends Settings> {
  readonly values: Values<S>;
  /** Warnings for the operator at a start that succeeds: whole sentences, never a secret. */
  readonly warnings: readonly string[];
}

/**
 * Reads every setting, once, at start.
 *
 * @throws ConfigError with every fault of every variable and rule
 */
export function readConfig<const S extends Settings>(
  settings: S,
  env: Environment,
  options: ReadConfigOptions<S> = {},
): Config<S> {
  const source = createSource(env, options.readFile);
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const warnings: string[] = [];
  const faulty = new Set<string>();
  for (const [key, setting] of Object.entries(settings)) {
    const reading = setting.read(source);
    values[key] = reading.value;
    faults.push(...reading.faults);
    warnings.push(...reading.warnings);
    if (reading.faults.length > 0) faulty.add(key);
  }
  for (const rule of options.rules ?? []) {
    if (rule.uses.some((key) => faulty.has(key))) continue;
    faults.push(...rule.check(values as Partial<Values<S>>));
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return { values: values as Values<S>, warnings };
}

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

/** Every variable with its default, meaning and accepted forms, for `--help`. It shows no values from the environment. */
export function describeVariables(settings: Settings): string {
  const lines = Object.values(settings)
    .flatMap((setting) => setting.descriptions)
    .map(({ name, unset, about, forms }) => `${name} (${unset})\n    ${about}\n    Accepted: ${forms}.`);
  lines.push('Any variable X may come from a file instead: set X_FILE to its path.');
  return `${lines.join('\n')}\n`;
}
