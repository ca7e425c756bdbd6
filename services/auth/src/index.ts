export { createApiKeyVerifier } from './api-key-verifier.ts';
export { mount } from './app.ts';
export { authVariables, type SetupSecrets, toSetupSecrets } from './config.ts';
export { createApiKey } from './routes/create-and-read-api-keys.ts';
export { readStartWarning, readStoredWarnings } from './stored-warnings.ts';
