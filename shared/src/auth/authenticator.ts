import { type Authority, apiKeyCacheKey } from '../authority/index.ts';
import type { Clock } from '../clock/clock.ts';
import {
  type ApiKeyState,
  type ApiKeyVerifier,
  createContentPatterns,
  type Principal,
  readStoredScope,
  type TokenContents,
} from '../contracts/index.ts';
import { AppError } from '../errors/errors.ts';
import { type Access, accessRules } from './access.ts';
import { apiKeyPattern, apiKeyPrefix, hashCredential, hashToken } from './api-key.ts';
import { tokenPattern } from './read-credential.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** A change may overtake a read, but not often in a row. */
const readAttempts = 5;

export type Authenticator = ReturnType<typeof createAuthenticator>;

interface AuthenticatorOptions {
  apiKeys: Authority['apiKeys'];
  verifier: Pick<ApiKeyVerifier, 'noteUse'>;
  /** Null if no viewer token is configured. */
  tokens: TokenVerifier | null;
  /** Whether a viewer without a credential passes. Only if viewer tokens are not configured. */
  allowAnonymous: boolean;
  clock: Clock;
}

export function createAuthenticator(options: AuthenticatorOptions) {
  const { tokens, allowAnonymous } = options;
  return {
    /**
     * Turns a credential into a principal. `assertScope` decides what the principal may do.
     *
     * @returns without waiting where everything is cached, which is the usual case
     * @throws AppError UNAUTHENTICATED, INVALID_TOKEN, INVALID_API_KEY or DEPENDENCY_UNAVAILABLE
     */
    identify(credential: string | null, access: Access): Principal | Promise<Principal> {
      const viewerWillDo = accessRules[access]?.viewer === true;
      if (credential === null) {
        if (viewerWillDo && allowAnonymous) return { kind: 'anonymous', id: null };
        throw new AppError('UNAUTHENTICATED', { detail: 'Send a credential: Authorization: Bearer …' });
      }
      if (tokenPattern.test(credential)) {
        if (!tokens) throw new AppError('INVALID_TOKEN', { detail: 'This server takes no viewer tokens.' });
        return tokens.verify(credential, hashToken(credential));
      }
      const hash = hashCredential(credential);
      const wellFormed = apiKeyPattern.test(credential);
      const notMine =
        viewerWillDo && !credential.startsWith(apiKeyPrefix) ? 'INVALID_TOKEN' : 'INVALID_API_KEY';
      return identifyApiKey(apiKeyCacheKey(hash, wellFormed), notMine, options);
    },
    /**
     * The API key that requested a key credential (`KeyCredentials`), as long as that API key is accepted.
     *
     * @param cacheKey of the API key
     * @throws AppError INVALID_API_KEY or DEPENDENCY_UNAVAILABLE
     */
    identifyIssuer: (cacheKey: string) => identifyApiKey(cacheKey, 'INVALID_API_KEY', options),
  };
}

type Refusal = 'INVALID_TOKEN' | 'INVALID_API_KEY';

function identifyApiKey(
  cacheKey: string,
  refusal: Refusal,
  { apiKeys, verifier, clock }: AuthenticatorOptions,
): Principal | Promise<Principal> {
  const identify = (state: ApiKeyState | null): Principal => {
    const now = clock.now();
    // Unknown, revoked and expired keys get the same answer, so that it reveals nothing about which keys exist.
    if (!state || !isApiKeyUsable(state, now)) throw new AppError(refusal);
    if (state.id !== null) verifier.noteUse(state.id, now);
    const { scope } = readStoredScope(state.scope);
    const contents = 'contents' in state ? patternsOf(state.contents) : null;
    return { kind: 'api-key', id: state.id, name: state.name, scope, contents, cacheKey };
  };
  const known = apiKeys.peek(cacheKey);
  return known ? identify(known.value) : readApiKey(cacheKey, apiKeys).then(identify);
}

/** By the list of a cached state: a request must not sort 50 patterns. */
const readPatterns = new WeakMap<readonly string[], TokenContents>();

function patternsOf(contents: readonly string[]): TokenContents {
  const known = readPatterns.get(contents) ?? createContentPatterns(contents);
  readPatterns.set(contents, known);
  return known;
}

async function readApiKey(cacheKey: string, apiKeys: Authority['apiKeys']): Promise<ApiKeyState | null> {
  for (let attempt = 0; attempt < readAttempts; attempt++) {
    try {
      await apiKeys.load(cacheKey);
    } catch (cause) {
      throw cause instanceof AppError ? cause : cannotCheck(cause);
    }
    const known = apiKeys.peek(cacheKey);
    if (known) return known.value;
  }
  throw cannotCheck(new Error('changes overtook every read'));
}

function cannotCheck(cause: unknown): AppError {
  return new AppError('DEPENDENCY_UNAVAILABLE', {
    detail: 'The API key cannot be checked at the moment.',
    cause,
  });
}

/** Whether a stored key is accepted at the given wall-clock time. */
export function isApiKeyUsable(state: ApiKeyState, now: number): boolean {
  return state.revokedAt === null && (state.expiresAt === null || state.expiresAt > now);
}
