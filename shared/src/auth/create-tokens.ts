import type { Clock } from '../clock/clock.ts';
import { type Issuer, type IssuerValues, resolveIssuers } from '../config/index.ts';
import { createContentPatterns } from '../contracts/index.ts';
import { everyMs, type Shutdown } from '../lifecycle/index.ts';
import { createKeySet, type KeySet, keepFreshEveryMs } from './key-set.ts';
import type { TimeRules, TokenRules } from './token-claims.ts';
import { createTokenVerifier, type TokenIssuer, type TokenVerifier } from './token-verifier.ts';

/** The values of `viewerTokenVariables` that verifying needs. */
export interface TokenSettings extends IssuerValues {
  readonly authJwtClockToleranceSeconds: number;
  readonly authJwtMaxAgeSeconds: number;
  readonly authJwtRequireIat: boolean;
}

/** How long a shutdown waits for a running fetch of the key set: as long as one fetch may take. */
const fetchEndsMs = 3_000;

interface TokenOptions {
  clock: Clock;
  onFault: (issuer: Issuer, error: unknown) => void;
  /** Receives the keys of a key set that cannot be used, with their reasons. */
  onUnusableKeys: (issuer: Issuer, keys: string) => void;
  shutdown: Pick<Shutdown, 'add'>;
  /** Memory limit for remembered tokens, in bytes. */
  maxBytes?: number;
}

/** The key set of one issuer, for the operator. */
export interface FollowedKeySet extends Pick<KeySet, 'ageMs' | 'state'> {
  /** The name of the issuer. */
  issuer: string;
}

/**
 * The verifier that the configuration asks for, and its key sets, which are kept fresh until the shutdown. Each is fetched by itself, so an
 * issuer that is out of reach stops no other one. Null if no issuer is configured.
 */
export function createTokens(
  settings: TokenSettings,
  options: TokenOptions,
): (TokenVerifier & { keySets: readonly FollowedKeySet[] }) | null {
  const keySets: FollowedKeySet[] = [];
  const [first, ...others] = createIssuers(settings, (issuer, url) => {
    const keySet = followKeySet(issuer, url, options);
    keySets.push({ issuer: issuer.name, ageMs: keySet.ageMs, state: keySet.state });
    return keySet;
  });
  if (!first) return null;
  const { clock, maxBytes } = options;
  const bound = maxBytes === undefined ? {} : { maxBytes };
  return { ...createTokenVerifier({ issuers: [first, ...others], clock, ...bound }), keySets };
}

/** The configured issuers, for verification. */
export function createIssuers(
  settings: TokenSettings,
  openKeySet: (issuer: Issuer, url: string) => KeySet,
): TokenIssuer[] {
  const times: TimeRules = {
    clockToleranceSeconds: settings.authJwtClockToleranceSeconds,
    maxAgeSeconds: settings.authJwtMaxAgeSeconds,
    requireIssuedAt: settings.authJwtRequireIat,
  };
  const issuers = resolveIssuers(settings);
  return issuers.map((issuer) => ({
    name: issuer.name,
    secrets: issuer.secrets,
    keySet: issuer.jwksUrl === null ? null : openKeySet(issuer, issuer.jwksUrl),
    rules: { ...times, ...rulesOf(issuer, issuers) },
  }));
}

function rulesOf(issuer: Issuer, all: readonly Issuer[]): Omit<TokenRules, keyof TimeRules> {
  const { issuers, audiences, audienceClaim, viewerClaim, viewerPrefix, contents } = issuer;
  const { contentClaim, contentClaimRequired } = issuer;
  return {
    ...{ issuers, audiences, audienceClaim, viewerClaim, viewerPrefix, contentClaim, contentClaimRequired },
    foreignPrefixes: all
      .map((other) => other.viewerPrefix)
      .filter((other) => other !== viewerPrefix && other.startsWith(viewerPrefix)),
    issuerContents: contents && createContentPatterns(contents),
  };
}

function followKeySet(issuer: Issuer, url: string, options: TokenOptions): KeySet {
  const { clock, shutdown } = options;
  const onFault = (error: unknown) => options.onFault(issuer, error);
  const keySet = createKeySet({
    fetchJson: () => fetchKeySet(url),
    clock,
    onFault,
    onUnusableKeys: (keys) => options.onUnusableKeys(issuer, keys),
  });
  // Fetched at the start too, so that the first viewer need not wait for it.
  void keySet.keepFresh();
  const job = everyMs(keepFreshEveryMs, () => keySet.keepFresh(), onFault);
  shutdown.add(`following the key set of ${issuer.name}`, fetchEndsMs, () => job.stop());
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
