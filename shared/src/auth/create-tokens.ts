import type { Clock } from '../clock/clock.ts';
import { everyMs, type Shutdown } from '../lifecycle/index.ts';
import { acceptedSecrets, type Revealable } from '../seal/accepted-secrets.ts';
import { createKeySet, type KeySet, keepFreshEveryMs } from './key-set.ts';
import { createTokenVerifier, type TokenVerifier } from './token-verifier.ts';

/** The values of `viewerTokenVariables` that verifying needs. */
export interface TokenSettings {
  authJwtSecret?: Revealable<Uint8Array> | undefined;
  authJwtSecretPrevious?: Revealable<readonly Uint8Array[]>;
  authJwksUrl?: string | undefined;
  authJwtAudience?: readonly string[] | undefined;
  authJwtAudienceClaim: string;
  authJwtIssuer?: readonly string[] | undefined;
  authJwtClockToleranceSeconds: number;
  authJwtMaxAgeSeconds: number;
  authJwtRequireIat: boolean;
  authJwtViewerClaim: string;
  authJwtContentClaim?: string | undefined;
  authJwtContentClaimRequired?: boolean | undefined;
}

/** The content claim where `AUTH_JWT_CONTENT_CLAIM` is unset. */
const usualContentClaim = 'content_ids';

/** How long a shutdown waits for a running fetch of the key set: as long as one fetch may take. */
const fetchEndsMs = 3_000;

interface TokenOptions {
  clock: Clock;
  onFault: (error: unknown) => void;
  /** Receives the keys of the key set that cannot be used, with their reasons. */
  onUnusableKeys: (keys: string) => void;
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
    secrets: secret ? acceptedSecrets(secret, settings.authJwtSecretPrevious) : null,
    keySet: url ? followKeySet(url, options) : null,
    rules: {
      audiences: settings.authJwtAudience ?? [],
      audienceClaim: settings.authJwtAudienceClaim,
      issuers: settings.authJwtIssuer ?? [],
      clockToleranceSeconds: settings.authJwtClockToleranceSeconds,
      maxAgeSeconds: settings.authJwtMaxAgeSeconds,
      requireIssuedAt: settings.authJwtRequireIat,
      viewerClaim: settings.authJwtViewerClaim,
      contentClaim: settings.authJwtContentClaim ?? usualContentClaim,
      // An operator who names the claim expects each token to have it.
      contentClaimRequired:
        settings.authJwtContentClaimRequired ?? settings.authJwtContentClaim !== undefined,
    },
    clock: options.clock,
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
  });
}

function followKeySet(url: string, { clock, onFault, onUnusableKeys, shutdown }: TokenOptions): KeySet {
  const keySet = createKeySet({ fetchJson: () => fetchKeySet(url), clock, onFault, onUnusableKeys });
  // Fetched at the start too, so that the first viewer need not wait for it.
  void keySet.keepFresh();
  const job = everyMs(keepFreshEveryMs, () => keySet.keepFresh(), onFault);
  shutdown.add('following the key set', fetchEndsMs, () => job.stop());
  return keySet;
}

/** Under the 5 s of a key request, so that a slow issuer becomes a 503 and not a hang. */
const timeoutMs = 3_000;
/** Key sets have a handful of keys of some 500 bytes. */
const maxBytes = 256 * 1024;

/**
 * Fetches a key set. Redirects are not followed: the configured URL is the one that is trusted.
 *
 * @throws Error with a readable reason for anything but a 200 with a JSON document of bounded size
 */
export async function fetchKeySet(url: string): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status !== 200 || !response.body) throw new Error(`the key set answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new Error(`the key set is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
