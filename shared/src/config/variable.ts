import type { Parser } from './parsers.ts';
import { Secret } from './secret.ts';
import type { Fault, Source, Text } from './source.ts';

/** One line of `--help`. */
export interface Description {
  readonly name: string;
  readonly about: string;
  readonly forms: string;
  /** The meaning of an unset variable. Never a secret: secrets have no default. */
  readonly unset: string;
  /** Whether its text may be shown to operators. False where it is left out, as for secrets. */
  readonly isShown?: boolean;
}
/** The result of reading one setting: a value unless there is a fault. */
export interface Reading<T> {
  readonly value?: T;
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}
/** One value of the configuration and how to read it: usually one variable, sometimes a family of variables. */
export interface Setting<T> {
  readonly descriptions: readonly Description[];
  read(source: Source): Reading<T>;
}

interface Declaration<T> {
  name: string;
  type: Parser<T>;
  /** One sentence for `--help`. */
  about: string;
  /** A file that is empty or missing counts as unset: for a list that is empty most of the time. */
  mayBeEmpty?: true;
}

/** Longer texts are cut in a fault: the quote only has to make the value recognisable. */
const quotedCharacters = 60;

/**
 * Declares one variable. With `fallback` or `required` its value is always present. Without either, an unset variable is
 * `undefined`, and `about` says what that means.
 */
export function variable<T>(declaration: Declaration<T> & { fallback: NoInfer<T> }): Setting<T>;
export function variable<T>(declaration: Declaration<T> & { required: true }): Setting<T>;
export function variable<T>(declaration: Declaration<T>): Setting<T | undefined>;
export function variable<T>(
  declaration: Declaration<T> & { fallback?: T; required?: true },
): Setting<T | undefined> {
  const { name, type, about, fallback, required, mayBeEmpty } = declaration;
  const unset = required ? 'required' : fallback === undefined ? 'unset' : `default ${showDefault(fallback)}`;
  return {
    descriptions: [{ name, about, forms: type.forms, unset, isShown: !type.secret }],
    read(source) {
      const found = source.find(name, mayBeEmpty);
      if (found && 'message' in found) return { faults: [found], warnings: [] };
      if (found) return readText(name, type, found);
      if (!required) return { value: fallback, faults: [], warnings: [] };
      const message = `${name} is not set, and there is no default. Accepted: ${type.forms}.`;
      return { faults: [{ variable: name, message }], warnings: [] };
    },
  };
}

/** Reads a text by the rules of `type`. The fault quotes the text only where it is not secret and not from a file. */
export function readText<T>(name: string, type: Parser<T>, found: Text): Reading<T> {
  const parsed = type.parse(found.text);
  if ('wrong' in parsed) {
    const hidden = type.secret || found.fromFile;
    const what = hidden ? `The value of ${name} (not shown here)` : `${name} is ${quote(found.text)}, which`;
    const message = `${what} ${parsed.wrong}. Accepted: ${type.forms}.`;
    return { faults: [{ variable: name, message }], warnings: [] };
  }
  return {
    value: parsed.value,
    faults: [],
    warnings: parsed.warning ? [`${name} ${parsed.warning}.`] : [],
  };
}

/** A password where none belongs is a password all the same. */
function quote(given: string): string {
  const text = given.replace(/\/\/[^/]*@/, '//…@');
  return JSON.stringify(text.length > quotedCharacters ? `${text.slice(0, quotedCharacters)}…` : text);
}

function showDefault(value: unknown): string {
  if (value instanceof Secret) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(',');
  return typeof value === 'object' ? 'off' : String(value);
}
