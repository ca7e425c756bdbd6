import type { Clock } from '../clock/index.ts';
import type { Secret } from '../config/index.ts';
import { fetchKeySet } from './fetch-key-set.ts';
import { createKeySet } from './key-set.ts';
import { createTokenVerifier, type TokenVerifier } from './token-verifier.ts';

/** The values of `viewerTokenVariables` that verifying needs. */
export interface TokenSettings {
  authJwtSecret?: Secret<Uint8Array> | undefined;
  authJwksUrl?: string | undefined;
  authJwtAudience?: string | undefined;
  authJwtIssuer?: string | undefined;
  authJwtClockToleranceSeconds: number;
  authJwtMaxAgeSeconds: number;
  authJwtRequireIat: boolean;
  authJwtContentClaim: string;
}

/** The verifier that the configuration asks for; null where it names neither a secret nor a key set. */
export function createTokens(
  settings: TokenSettings,
  clock: Clock,
  onFault: (error: unknown) => void,
): TokenVerifier | null {
  const { authJwtSecret: secret, authJwksUrl: url } = settings;
  if (!secret && !url) return null;
  return createTokenVerifier({
    secret: secret?.reveal() ?? null,
    keySet: url ? createKeySet({ fetchJson: () => fetchKeySet(url), clock, onFault }) : null,
    rules: {
      audience: settings.authJwtAudience ?? null,
      issuer: settings.authJwtIssuer ?? null,
      clockToleranceSeconds: settings.authJwtClockToleranceSeconds,
      maxAgeSeconds: settings.authJwtMaxAgeSeconds,
      requireIssuedAt: settings.authJwtRequireIat,
      contentClaim: settings.authJwtContentClaim,
    },
    clock,
  });
}
