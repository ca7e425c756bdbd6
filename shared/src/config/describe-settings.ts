import type { Settings } from './read-config.ts';
import { createSource, type Environment, type ReadFile } from './source.ts';

/** A variable and what holds for it, without what is secret. */
export interface ShownSetting {
  name: string;
  about: string;
  from: 'default' | 'environment' | 'file';
  /** The text that is set, or the default as `--help` shows it. Null for what is secret. */
  value: string | null;
}

/**
 * Every variable of a process as it was at its start, for its operators. The text of a secret is never read: a variable is shown only if its
 * declaration says that it may be. A file is not read either, because what an operator puts into a file may be a secret.
 */
export function describeSettings(
  settings: Settings,
  env: Environment,
  readFile: ReadFile = () => '(a file)',
): ShownSetting[] {
  const source = createSource(env, readFile);
  return Object.values(settings)
    .flatMap((setting) => setting.descriptions)
    .map(({ name, about, unset, isShown = false }) => {
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
