import { readFileSync } from 'node:fs';

/** The environment of the process as its entry file passes it, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>;
/** One fault, as the operator reads it. `message` begins with the variable's name. */
export interface Fault {
  readonly variable: string;
  readonly message: string;
}
/** An environment, seen through `createSource`. */
export type Source = ReturnType<typeof createSource>;
/** Returns the text of a file, or throws. */
export type ReadFile = (path: string) => string;

/**
 * The variables of an environment, each read directly or from the file that `<name>_FILE` names (a Docker or Kubernetes
 * secret). An empty variable counts as unset. An empty file is a fault: a secret that was mounted wrongly must not turn a
 * protection off.
 */
export function createSource(env: Environment, readFile: ReadFile = readTextFile) {
  /**
   * A variable's text and whether a file contained it, a fault, or undefined where the variable is unset.
   *
   * @param isEmptyUnset whether a file that is empty or missing counts as unset, as an empty variable does; otherwise it is a fault
   */
  const find = (
    name: string,
    isEmptyUnset = false,
  ): { text: string; fromFile: boolean } | Fault | undefined => {
    const own = env[name];
    const path = env[`${name}_FILE`];
    if (own && path) {
      return { variable: name, message: `${name} and ${name}_FILE are both set. Set one of them.` };
    }
    if (own) return { text: own, fromFile: false };
    if (!path) return undefined;
    try {
      const text = readFile(path).replace(/\r?\n$/, '');
      if (text !== '') return { text, fromFile: true };
      if (isEmptyUnset) return undefined;
      return { variable: name, message: `${name}_FILE names ${path}, which is empty.` };
    } catch (error) {
      if (isEmptyUnset && isMissing(error)) return undefined;
      return { variable: name, message: `${name}_FILE names ${path}, which ${whyUnreadable(error)}.` };
    }
  };
  // The names of all variables that are set, for families of variables.
  return { names: Object.keys(env).filter((name) => env[name]), find };
}

/** Strict UTF-8: silent replacement of bytes would change the secret. */
function readTextFile(path: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no reason given';
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES') return 'may not be read by this process';
  if (code === 'EISDIR') return 'is a folder';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8 text';
  return `cannot be read (${code})`;
}
