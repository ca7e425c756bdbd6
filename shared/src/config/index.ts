export * from './first-run-secrets.ts';
export { bearerCredential } from './forms.ts';
export { type Issuer, type IssuerValues, nameIssuerSetting, resolveIssuers } from './issuers.ts';
export { type CustodianSettings, custodians, masterKeys, type VaultLogin } from './master-keys.ts';
export * from './profiles.ts';
export { readConfig } from './read-config.ts';
export { Secret } from './secret.ts';
export {
  ConfigError,
  describeSettings,
  describeVariables,
  descriptionsOf,
  type Settings,
  type ShownSetting,
  type Values,
} from './settings.ts';
export type { Environment } from './source.ts';
export { type CorsOrigins, url } from './url-forms.ts';
export * from './variables/content.ts';
export * from './variables/credentials.ts';
export * from './variables/gateway.ts';
export * from './variables/leases.ts';
export * from './variables/process.ts';
export * from './variables/records.ts';
export * from './variables/services.ts';
export * from './variables/stores.ts';
export * from './variables/viewer-tokens.ts';
