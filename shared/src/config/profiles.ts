import { custodians } from './custodians.ts';
import { masterKeyRule, masterKeys } from './master-keys.ts';
import { type Config, readConfig } from './read-config.ts';
import { removedVariable } from './removed-variables.ts';
import type { Environment } from './source.ts';
import { apiKeyVariables } from './variables/api-keys.ts';
import { auditVariables } from './variables/audit.ts';
import { authorityVariables } from './variables/authority.ts';
import { contentVariables } from './variables/content.ts';
import { databaseRoleVariables, databaseVariables, migrateOnStart } from './variables/database.ts';
import { corsRule, defaultPorts, gatewayVariables, processVariables } from './variables/http.ts';
import {
  cacheAndBusVariables,
  internalVariables,
  serviceUrlVariables,
  storeRule,
} from './variables/internal.ts';
import { internalTlsRules } from './variables/internal-tls.ts';
import { leaseRule, leaseVariables } from './variables/leases.ts';
import { listenRule, observabilityVariables } from './variables/observability.ts';
import { playlistVariables } from './variables/playlists.ts';
import { presignRule, presignVariables } from './variables/presign.ts';
import { rateLimitVariables } from './variables/rate-limits.ts';
import { retentionVariables } from './variables/retention.ts';
import { usageVariables } from './variables/usage.ts';
import { viewerTokenRule, viewerTokenVariables } from './variables/viewer-tokens.ts';
import { webhookVariables } from './variables/webhooks.ts';
import { weakSecretRules } from './weak-secrets.ts';

/** Every setting that the single process reads. */
export const singleNodeSettings = {
  ...processVariables(defaultPorts.gateway),
  ...gatewayVariables,
  ...rateLimitVariables,
  masterKeys,
  custodians,
  ...databaseVariables,
  migrateOnStart,
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
  return readConfig(singleNodeSettings, env, {
    rules: [masterKeyRule, corsRule, leaseRule, presignRule, viewerTokenRule, listenRule, ...weakSecretRules],
  });
}

/**
 * Settings that separate processes read in addition to those of a single process: how they authenticate each other, the
 * cache and the bus.
 */
export const separateServiceSettings = {
  ...internalVariables,
  ...cacheAndBusVariables,
  ...serviceUrlVariables,
  ...databaseRoleVariables,
};

/** Each of these is set only for separate processes. */
const signs = Object.values({ ...internalVariables, ...serviceUrlVariables }).flatMap(({ descriptions }) =>
  descriptions.map(({ name }) => name),
);

/** Whether an environment configures separate processes, or both profiles: `latchkey keygen` writes for either. */
export function isForSeparateServices(env: Environment): boolean {
  return signs.some((name) => Boolean(env[name] || env[`${name}_FILE`]));
}

/** @throws ConfigError with every fault */
export function readSeparateServiceConfig(env: Environment): Config<typeof separateServiceSettings> {
  return readConfig(separateServiceSettings, env, { rules: [storeRule, ...internalTlsRules] });
}
