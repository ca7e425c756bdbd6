export {
  type Access,
  accessRules,
  assertContentExists,
  assertNotLimited,
  assertScope,
  type NamedContents,
  scopesOf,
  takesBasic,
} from './access.ts';
export { apiKeyPattern, generateApiKey, hashCredential, keyPrefixOf } from './api-key.ts';
export { type Authenticator, createAuthenticator, isApiKeyUsable } from './authenticator.ts';
export {
  createIssuers,
  createTokens,
  type FollowedKeySet,
  fetchKeySet,
  type TokenSettings,
} from './create-tokens.ts';
export { explainToken, type TokenStep } from './explain-token.ts';
export { describeUnusableKeys, judgeKeys } from './judge-keys.ts';
export { createKeyCredentials, type KeyCredentials, type KeyName } from './key-credential.ts';
export { createKeySet, keyUnknown } from './key-set.ts';
export {
  type CredentialSource,
  presentsApiKey,
  readBasicPassword,
  readBearer,
  readCredentials,
  tokenPattern,
} from './read-credential.ts';
export { readSession } from './read-session.ts';
export { createTokenVerifier, type TokenVerifier } from './token-verifier.ts';
