import { masterKeys } from './master-keys.ts';
import { type Config, type Rule, readConfig } from './read-config.ts';
import type { Environment } from './source.ts';
import { apiKeyVariables } from './variables/api-keys.ts';
import { contentVariables } from './variables/content.ts';
import { databaseVariables } from './variables/database.ts';
import { corsRule, gatewayVariables, ports, processVariables } from './variables/http.ts';
import { leaseRule, leaseVariables } from './variables/leases.ts';
import { observabilityVariables } from './variables/observability.ts';
import { presignRule, presignVariables } from './variables/presign.ts';
import { viewerTokenRule, viewerTokenVariables } from './variables/viewer-tokens.ts';

/** Everything that the single process reads. */
export const singleNodeSettings = {
  ...processVariables(ports.gateway),
  ...gatewayVariables,
  masterKeys,
  ...databaseVariables,
  ...apiKeyVariables,
  ...viewerTokenVariables,
  ...contentVariables,
  ...leaseVariables,
  ...presignVariables,
  ...observabilityVariables('127.0.0.1'),
};

export type SingleNodeConfig = Config<typeof singleNodeSettings>;
export type SingleNodeValues = SingleNodeConfig['values'];

/** A process without a master key can do nothing. Outside of production the first run has made one by now. */
const masterKeyRule: Rule<Partial<SingleNodeValues>> = {
  uses: ['masterKeys'],
  check({ masterKeys: keys }) {
    if (keys && keys.reveal().length > 0) return [];
    const message =
      'MASTER_KEY_HEX and SALT_HEX are not set, and with NODE_ENV=production none are made. ' +
      'Make them once with `npx latchkey keygen`, keep them safe, and set both. Accepted: 64 hex digits each.';
    return [{ variable: 'MASTER_KEY_HEX', message }];
  },
};

/** @throws ConfigError with every fault together */
export function readSingleNodeConfig(env: Environment): SingleNodeConfig {
  return readConfig(singleNodeSettings, env, {
    rules: [masterKeyRule, corsRule, leaseRule, presignRule, viewerTokenRule],
  });
}
