import type { Clock } from '../clock/index.ts';
import type { Secret } from '../config/index.ts';
import { everyMs, type Shutdown } from '../lifecycle/index.ts';
import { fetchKeySet } from './fetch-key-set.ts';
import { createKeySet, type KeySet, keepFreshEveryMs } from './key-set.ts';
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

/** How long a shutdown waits for a running fetch of the key set: as long as one fetch may take. */
const fetchEndsMs = 3_000;

export interface TokenOptions {
  clock: Clock;
  onFault: (error: unknown) => void;
  shutdown: Pick<Shutdown, 'add'>;
  /** Memory limit for remembered tokens, in bytes. */
  maxBytes?: number;
}

/**
 * The verifier that the configuration asks for. Its key set is kept fresh until the shutdown. Null where the
 * configuration names neither a secret nor a key set.
 */
export function createTokens(settings: TokenSettings, options: TokenOptions): TokenVerifier | null {
  const { authJwtSecret: secret, authJwksUrl: url } = settings;
  if (!secret && !url) return null;
  return createTokenVerifier({
    secret: secret?.reveal() ?? null,
    keySet: url ? followKeySet(url, options) : null,
    rules: {
      audience: settings.authJwtAudience ?? null,
      issuer: settings.authJwtIssuer ?? null,
      clockToleranceSeconds: settings.authJwtClockToleranceSeconds,
      maxAgeSeconds: settings.authJwtMaxAgeSeconds,
      requireIssuedAt: settings.authJwtRequireIat,
      contentClaim: settings.authJwtContentClaim,
    },
    clock: options.clock,
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
  });
}

function followKeySet(url: string, { clock, onFault, shutdown }: TokenOptions): KeySet {
  const keySet = createKeySet({ fetchJson: () => fetchKeySet(url), clock, onFault });
  // Fetched at the start too, so that the first viewer need not wait for it.
  void keySet.keepFresh();
  const job = everyMs(keepFreshEveryMs, () => keySet.keepFresh(), onFault);
  shutdown.add('following the key set', fetchEndsMs, () => job.stop());
  return keySet;
}
