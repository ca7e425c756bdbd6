export {
  type ApiKeyVerifierOptions,
  createApiKeyVerifier,
  type OwnedApiKeyVerifier,
} from './api-key-verifier.ts';
export type { AuthPorts } from './auth-ports.ts';
export { authRoutes } from './auth-routes.ts';
export { authVariables, type SetupSecrets, toSetupSecrets } from './config.ts';
export { createApiKey } from './create-api-key.ts';
export { openSetupWarning } from './setup-credential.ts';
export { usesFlushMs } from './use-log.ts';
