import { type Config, readConfig } from './read-config.ts';
import type { Environment } from './source.ts';
import { databaseRoleVariables } from './variables/database.ts';
import { cacheAndBusVariables, internalVariables, neighbourVariables } from './variables/internal.ts';

/**
 * Settings that separate processes read in addition to those of a single process: how they authenticate each other, the
 * cache and the bus.
 */
export const separateServiceSettings = {
  ...internalVariables,
  ...cacheAndBusVariables,
  ...neighbourVariables,
  ...databaseRoleVariables,
};

/** Each of these is set only for separate processes. */
const signs = Object.values({ ...internalVariables, ...neighbourVariables }).flatMap(({ descriptions }) =>
  descriptions.map(({ name }) => name),
);

/** Whether an environment configures separate processes, or both profiles: `latchkey keygen` writes for either. */
export function isForSeparateServices(env: Environment): boolean {
  return signs.some((name) => Boolean(env[name] || env[`${name}_FILE`]));
}

/** @throws ConfigError with every fault */
export function readSeparateServiceConfig(env: Environment): Config<typeof separateServiceSettings> {
  return readConfig(separateServiceSettings, env);
}
