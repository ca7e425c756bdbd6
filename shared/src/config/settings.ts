import type { z } from 'zod';
import { formOf } from './forms.ts';
import { Secret } from './secret.ts';
import { createSource, type Environment, type Fault, type ReadFile, type Source } from './source.ts';

/** One line of `--help`. */
export type Description = ReturnType<typeof describe>;

/** The result of reading one setting: a value, or faults. */
export interface Reading<T> {
  readonly value?: T;
  readonly faults: readonly Fault[];
}

/** Several variables that give one value, such as all versions of the master key. */
export interface Family<T> {
  readonly descriptions: readonly Description[];
  read(source: Source): Reading<T>;
}

/**
 * Settings of a process. A variable has its own name as the key, and a schema of its text with `describe` and, from `forms.ts`, its accepted forms:
 * `LEASE_TTL_SECONDS: integer(1, 60).default(30).describe('How long …')`. A family has a name in small letters.
 */
export type Settings = Readonly<Record<string, z.ZodType | Family<unknown>>>;

type ValueName<N extends string> = N extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<ValueName<Rest>>}`
  : N extends Uppercase<N>
    ? Lowercase<N>
    : N;

/** The values of settings: `LEASE_TTL_SECONDS` is `leaseTtlSeconds`. */
export type Values<S extends Settings> = {
  readonly [N in keyof S & string as ValueName<N>]: S[N] extends z.ZodType<infer T>
    ? T
    : S[N] extends Family<infer T>
      ? T
      : never;
};

/** `leaseTtlSeconds` for `LEASE_TTL_SECONDS`. */
export function valueName(name: string): string {
  if (name !== name.toUpperCase()) return name;
  return name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Takes what a rule finds. Sentences begin with the name of the variable, which `what` continues without a full stop. */
export interface Report {
  refuse(variable: string, what: string): void;
  /** For the operator at a start that succeeds. */
  warn(variable: string, what: string): void;
}

/** Refuses variables that contradict each other, and warns of risky values. Variables that a process does not have are undefined. */
// biome-ignore lint/suspicious/noExplicitAny: each rule declares the values that it reads
export type Rule = (values: any, report: Report) => void;

export interface Config<S extends Settings> {
  readonly values: Values<S>;
  /** Warnings for the operator at a start that succeeds: whole sentences, never a secret. */
  readonly warnings: readonly string[];
}

/** Thrown by a faulty variable when a rule reads it. */
const faultyVariable = Symbol('a variable with a fault of its own');

/**
 * Reads every setting, once, at start. A rule that reads a faulty variable ends there, so that one mistake is not reported twice.
 *
 * @param readFile reads `<name>_FILE`; defaults to the file system
 * @throws ConfigError with every fault of every variable and rule
 */
export function readSettings<const S extends Settings>(
  settings: S,
  rules: readonly Rule[],
  env: Environment,
  readFile?: ReadFile,
): Config<S> {
  const source = createSource(env, readFile);
  const values: Record<string, unknown> = {};
  const faults: Fault[] = [];
  const warnings: string[] = [];
  for (const [name, setting] of Object.entries(settings)) {
    const reading = isFamily(setting) ? setting.read(source) : readVariable(name, setting, source);
    faults.push(...reading.faults);
    const get = () => {
      if (reading.faults.length > 0) throw faultyVariable;
      return reading.value;
    };
    Object.defineProperty(values, valueName(name), { enumerable: true, get });
  }
  const report: Report = {
    refuse: (variable, what) => void faults.push({ variable, message: `${variable} ${what}.` }),
    warn: (variable, what) => void warnings.push(`${variable} ${what}.`),
  };
  for (const rule of rules) {
    try {
      rule(values, report);
    } catch (error) {
      if (error !== faultyVariable) throw error;
    }
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return { values: { ...values } as Values<S>, warnings };
}

/**
 * Reads one variable. A fault quotes its text only if it is not secret and not from a file.
 *
 * @param whyNeeded for the fault of a variable that is not set and must be
 */
export function readVariable<T>(
  name: string,
  schema: z.ZodType<T>,
  source: Source,
  whyNeeded = 'and there is no default',
): Reading<T> {
  const { forms, isSecret, mayBeEmpty } = formOf(schema);
  const found = source.find(name, mayBeEmpty);
  if (found && 'message' in found) return { faults: [found] };
  // A check without a message of its own leaves the rest to the accepted forms.
  const { success, data, error } = schema.safeParse(found?.text, {
    error: () => 'is not of an accepted form',
  });
  if (success) return { value: data, faults: [] };
  const refuse = (what: string) => ({
    faults: [{ variable: name, message: `${what}. Accepted: ${forms}.` }],
  });
  if (!found) return refuse(`${name} is not set, ${whyNeeded}`);
  const [{ message = '', path = [] } = {}] = error.issues;
  const wrong = path.length > 0 ? `has an item that ${message}` : message;
  return refuse(
    isSecret || found.fromFile
      ? `The value of ${name} (not shown here) ${wrong}`
      : `${name} is ${quote(found.text)}, which ${wrong}`,
  );
}

/** Longer texts are cut in a fault: the quote only has to make the value recognisable. */
const quotedCharacters = 60;

/** A password in a variable that takes none is a password all the same. */
function quote(given: string): string {
  const text = given.replace(/\/\/[^/]*@/, '//…@');
  return JSON.stringify(text.length > quotedCharacters ? `${text.slice(0, quotedCharacters)}…` : text);
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

/** The variables of settings, in their order. It shows no values from the environment. */
export function descriptionsOf(settings: Settings): Description[] {
  return Object.entries(settings).flatMap(([name, setting]) =>
    isFamily(setting) ? setting.descriptions : describe(name, setting),
  );
}

/** A variable for `--help`. */
export function describe(name: string, schema: z.ZodType) {
  const { forms, isSecret } = formOf(schema);
  const unset = schema.safeParse(undefined);
  const value = unset.data === undefined ? 'unset' : `default ${showDefault(unset.data)}`;
  return {
    ...{ name, about: schema.description ?? '', forms },
    /** The meaning of an unset variable. Never a secret: secrets have no default. */
    unset: unset.success ? value : 'required',
    /** Whether its text may be shown to operators. */
    isShown: !isSecret,
  };
}

function showDefault(value: unknown): string {
  if (value instanceof Secret) return 'none';
  if (Array.isArray(value)) return value.join(',') || 'none';
  return typeof value === 'object' ? 'off' : String(value);
}

function isFamily(setting: z.ZodType | Family<unknown>): setting is Family<unknown> {
  return 'descriptions' in setting;
}

/** Every variable with its default, meaning and accepted forms, for `--help`. */
export function describeVariables(settings: Settings): string {
  const lines = descriptionsOf(settings).map(
    ({ name, unset, about, forms }) => `${name} (${unset})\n    ${about}\n    Accepted: ${forms}.`,
  );
  lines.push('Any variable X may come from a file instead: set X_FILE to its path.');
  return `${lines.join('\n')}\n`;
}

/** A variable and what holds for it, without what is secret. */
export interface ShownSetting {
  name: string;
  about: string;
  from: 'default' | 'environment' | 'file';
  /** The text that is set, or the default as `--help` shows it. Null for what is secret. */
  value: string | null;
}

/**
 * Every variable of a process as it was at its start, for its operators. The text of a secret is never shown, and a file is not read: what an
 * operator puts into a file may be a secret.
 */
export function describeSettings(settings: Settings, env: Environment): ShownSetting[] {
  const source = createSource(env, () => '(a file)');
  return descriptionsOf(settings).map(({ name, about, unset, isShown }) => {
    const found = source.find(name);
    if (!found || 'message' in found) return { name, about, from: 'default', value: unset };
    const from = found.fromFile ? 'file' : 'environment';
    return { name, about, from, value: isShown && !found.fromFile ? hideCredentials(found.text) : null };
  });
}

/** A URL may have a user with a password, and a query with a token. */
function hideCredentials(text: string): string {
  return text
    .replace(/\/\/[^/\s]*@/g, '//…@')
    .replace(/(\/\/[^\s?]*)(\?[^\s,]*)?/g, (url, place, query) => (query === undefined ? url : `${place}?…`));
}
