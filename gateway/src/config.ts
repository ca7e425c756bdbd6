import {
  apiKeyVariables,
  type Config,
  contentVariables,
  corsRule,
  databaseVariables,
  type Environment,
  gatewayVariables,
  leaseRule,
  leaseVariables,
  masterKeys,
  observabilityVariables,
  ports,
  presignRule,
  presignVariables,
  processVariables,
  type Rule,
  readConfig,
  viewerTokenRule,
  viewerTokenVariables,
} from '@latchkey/shared/config';

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
