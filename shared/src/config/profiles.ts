import { custodians, masterKeys } from './master-keys.ts';
import { readConfig } from './read-config.ts';
import { removedVariable } from './removed-variables.ts';
import { type Config, descriptionsOf } from './settings.ts';
import type { Environment } from './source.ts';
import { contentVariables, playlistVariables, presignVariables } from './variables/content.ts';
import { apiKeyVariables } from './variables/credentials.ts';
import { gatewayVariables, rateLimitVariables } from './variables/gateway.ts';
import { leaseVariables } from './variables/leases.ts';
import { defaultPorts, observabilityVariables, processVariables } from './variables/process.ts';
import { auditVariables, retentionVariables, usageVariables, webhookVariables } from './variables/records.ts';
import { internalVariables, serviceUrlVariables } from './variables/services.ts';
import {
  authorityVariables,
  cacheAndBusVariables,
  databaseRoleVariables,
  databaseVariables,
  migrationVariables,
} from './variables/stores.ts';
import { viewerTokenVariables } from './variables/viewer-tokens.ts';

/** Every setting that the single process reads. */
export const singleNodeSettings = {
  ...processVariables(defaultPorts.gateway),
  ...gatewayVariables,
  ...rateLimitVariables,
  masterKeys,
  custodians,
  ...databaseVariables,
  ...migrationVariables,
  workers: removedVariable('LATCHKEY_WORKERS'),
  ...apiKeyVariables,
  ...auditVariables,
  ...webhookVariables,
  ...viewerTokenVariables,
  ...authorityVariables,
  ...contentVariables,
  ...playlistVariables,
  ...leaseVariables,
  ...retentionVariables,
  ...usageVariables,
  ...presignVariables,
  ...observabilityVariables('127.0.0.1'),
};

type SingleNodeConfig = Config<typeof singleNodeSettings>;
export type SingleNodeValues = SingleNodeConfig['values'];

/** @throws ConfigError with every fault */
export function readSingleNodeConfig(env: Environment): SingleNodeConfig {
  return readConfig(singleNodeSettings, env);
}

/**
 * Settings that separate processes read in addition to the settings of a single process: how they authenticate each other, the
 * cache and the bus.
 */
export const separateServiceSettings = {
  ...internalVariables,
  ...cacheAndBusVariables,
  ...serviceUrlVariables,
  ...databaseRoleVariables,
};

/** Each of these is set only for separate processes. */
const signs = descriptionsOf({ ...internalVariables, ...serviceUrlVariables });

/** Whether an environment configures separate processes, or both profiles: `latchkey keygen` writes for either. */
export function isForSeparateServices(env: Environment): boolean {
  return signs.some(({ name }) => Boolean(env[name] || env[`${name}_FILE`]));
}

/** @throws ConfigError with every fault */
export function readSeparateServiceConfig(env: Environment): Config<typeof separateServiceSettings> {
  return readConfig(separateServiceSettings, env);
}
