import { checkMasterKey } from './master-keys.ts';
import { type Config, type Rule, readSettings, type Settings } from './settings.ts';
import type { Environment, ReadFile } from './source.ts';
import { checkPresign } from './variables/content.ts';
import { weakSecretRules } from './variables/credentials.ts';
import { checkCors, checkDashboardUser, warnOfEveryProxy } from './variables/gateway.ts';
import { checkLeases } from './variables/leases.ts';
import { checkPorts } from './variables/process.ts';
import { internalTlsRules } from './variables/services.ts';
import { checkStores, warnOfLateRevocations } from './variables/stores.ts';
import { checkViewerTokens, warnOfViewerTokens } from './variables/viewer-tokens.ts';

/** Checks of variables against each other. A rule checks the variables that a process has. */
const rules: readonly Rule[] = [
  checkMasterKey,
  checkCors,
  checkDashboardUser,
  checkLeases,
  checkPresign,
  checkViewerTokens,
  checkPorts,
  checkStores,
  ...internalTlsRules,
  ...weakSecretRules,
  warnOfEveryProxy,
  warnOfViewerTokens,
  warnOfLateRevocations,
];

/**
 * Reads every setting, once, at start.
 *
 * @throws ConfigError with every fault of every variable, and of several together
 */
export function readConfig<const S extends Settings>(
  settings: S,
  env: Environment,
  readFile?: ReadFile,
): Config<S> {
  return readSettings(settings, rules, env, readFile);
}
