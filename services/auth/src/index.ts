export { createApiKeyVerifier } from './api-key-verifier.ts';
export { authVariables, type SetupSecrets, toSetupSecrets } from './config.ts';
export { createApiKey } from './create-api-key.ts';
export { mount } from './mount.ts';
export { readStartWarning, readStoredWarnings } from './stored-warnings.ts';
