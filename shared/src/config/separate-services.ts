import { type Config, readConfig } from './read-config.ts';
import type { Environment } from './source.ts';
import { cacheAndBusVariables, internalVariables, neighbourVariables } from './variables/internal.ts';

/** What separate processes read beside what a single one does: how they know each other, the cache and the bus. */
export const separateServiceSettings = {
  ...internalVariables,
  ...cacheAndBusVariables,
  ...neighbourVariables,
};

/** Each of these is set for separate processes alone. */
const signs = Object.values({ ...internalVariables, ...neighbourVariables }).flatMap(({ descriptions }) =>
  descriptions.map(({ name }) => name),
);

/** Whether an environment is one of separate processes, or of both: `latchkey keygen` writes for either. */
export function isForSeparateServices(env: Environment): boolean {
  return signs.some((name) => Boolean(env[name] || env[`${name}_FILE`]));
}

/** @throws ConfigError with every fault together */
export function readSeparateServiceConfig(env: Environment): Config<typeof separateServiceSettings> {
  return readConfig(separateServiceSettings, env);
}
