export { type CustodianSettings, custodians, type VaultLogin } from './custodians.ts';
export { describeSettings, type ShownSetting } from './describe-settings.ts';
export {
  makeMissingSecrets,
  readKeptSecrets,
  readSecretsFile,
  type SecretsFile,
} from './first-run-secrets.ts';
export { masterKeyRule, masterKeys } from './master-keys.ts';
export {
  isForSeparateServices,
  readSeparateServiceConfig,
  readSingleNodeConfig,
  type SingleNodeValues,
  separateServiceSettings,
  singleNodeSettings,
} from './profiles.ts';
export {
  ConfigError,
  describeVariables,
  type Rule,
  readConfig,
  type Settings,
  type Values,
} from './read-config.ts';
export { Secret } from './secret.ts';
export { bearerCredential } from './secret-parsers.ts';
export type { Environment } from './source.ts';
export { type CorsOrigins, url } from './url-parsers.ts';
export { apiKeyVariables } from './variables/api-keys.ts';
export { type AuditTarget, auditVariables, readAuditRetention } from './variables/audit.ts';
export { authorityVariables } from './variables/authority.ts';
export { contentVariables } from './variables/content.ts';
export { databaseRoleVariables, databaseVariables, sharedDatabaseVariables } from './variables/database.ts';
export {
  corsRule,
  defaultPorts,
  gatewayVariables,
  processVariables,
} from './variables/http.ts';
export {
  cacheAndBusVariables,
  internalVariables,
  serviceUrlVariables,
  storeRule,
} from './variables/internal.ts';
export { internalTlsRules } from './variables/internal-tls.ts';
export { leaseMode, leaseRule, leaseVariables } from './variables/leases.ts';
export { listenRule, observabilityVariables } from './variables/observability.ts';
export { playlistVariables } from './variables/playlists.ts';
export { presignRule, presignVariables } from './variables/presign.ts';
export { rateLimitVariables } from './variables/rate-limits.ts';
export { retentionVariables } from './variables/retention.ts';
export { traceVariables } from './variables/traces.ts';
export { usageVariables } from './variables/usage.ts';
export {
  type ViewerTokenPlace,
  viewerTokenRule,
  viewerTokenVariables,
} from './variables/viewer-tokens.ts';
export { webhookVariables } from './variables/webhooks.ts';
export { weakSecretRules } from './weak-secrets.ts';
