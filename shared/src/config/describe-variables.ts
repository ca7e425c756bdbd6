import type { Settings } from './read-config.ts';

/** Every variable with its default, meaning and accepted forms, for `--help`. It shows no values from the environment. */
export function describeVariables(settings: Settings): string {
  const lines = Object.values(settings)
    .flatMap((setting) => setting.descriptions)
    .map(({ name, unset, about, forms }) => `${name} (${unset})\n    ${about}\n    Accepted: ${forms}.`);
  lines.push('Any variable X may come from a file instead: set X_FILE to its path.');
  return `${lines.join('\n')}\n`;
}
