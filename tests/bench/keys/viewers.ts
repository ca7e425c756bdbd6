import { makeIssuerKey, nowSeconds, signToken, viewerToken } from '@latchkey/support/tokens';
import type { Load } from '../load.ts';
import { adminKey, call, type Subject, tokenSecret } from '../servers.ts';

/** As many as watch one film of a small service. Each has a token of its own. */
const viewers = 1_000;
const path = '/keys/film/0';
/** The same for all servers, so that requests have the same length. */
const host = 'keys.example';
/** Longer than a run takes. */
const tokenLifeSeconds = 7_200;
/** Older than the tolerance, so that no clock takes it for one of the future. */
const tokenAgeSeconds = 60;
/** The longest that `LEASE_MAX_TTL_SECONDS` allows by default: leases outlive a run. */
const leaseSeconds = 3_600;
/** Leases are created before the measurement; more at once would only wait. */
const createdAtOnce = 16;

/** Tokens (HS256) of viewers, in order. */
export function viewerTokens(count = viewers): string[] {
  const exp = nowSeconds() + tokenLifeSeconds;
  return Array.from({ length: count }, (_, n) => viewerToken(tokenSecret, `viewer-${n}`, { exp }));
}

/** Tokens (ES256) of all viewers, in order, and the key set that verifies them. */
export async function issuedTokens(): Promise<{ tokens: string[]; keySet: string }> {
  const issuer = await makeIssuerKey('ES256', 'key-of-the-measurement');
  const exp = nowSeconds() + tokenLifeSeconds;
  const signed = Array.from({ length: viewers }, (_, n) => issuer.sign(`viewer-${n}`, { exp }));
  return { tokens: await Promise.all(signed), keySet: JSON.stringify({ keys: [issuer.jwk] }) };
}

/** Registers the content whose keys are requested. */
export async function registerContent({ url }: Pick<Subject, 'url'>): Promise<void> {
  await call(url, 'POST', '/api/v1/content', adminKey, { id: 'film', name: 'Film' });
}

/** @returns the ids of new leases, one for each token */
export async function createLeases(
  { url }: Pick<Subject, 'url'>,
  tokens: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < tokens.length; from += createdAtOnce) {
    const some = tokens.slice(from, from + createdAtOnce);
    const created = await Promise.all(
      some.map((token) =>
        call(url, 'POST', '/keys/leases', token, { contentId: 'film', requestedTtlSeconds: leaseSeconds }),
      ),
    );
    ids.push(...created.map((answer) => (answer as { lease: { id: string } }).lease.id));
  }
  return ids;
}

/**
 * Requests of these viewers. They are divided among the connections. The viewers of one connection take turns.
 *
 * @param leases one for each token
 * @param further headers
 */
export function keyRequests(
  tokens: readonly string[],
  leases?: readonly string[],
  further: Readonly<Record<string, string>> = {},
): Load['requestsOf'] {
  const all = tokens.map((token, n) => {
    const lease = leases ? { 'x-lease-id': leases[n] } : {};
    return { path, headers: { host, authorization: `Bearer ${token}`, ...lease, ...further } };
  });
  return (connection, connections) => {
    const own = [];
    for (let n = connection; n < all.length; n += connections) own.push({ ...all[n] });
    return own;
  };
}

/** Requests of all viewers in turn, each with a token (HS256) that was never sent before. */
export function newTokenRequests(): Load['requestsOf'] {
  const now = nowSeconds();
  const times = { iat: now - tokenAgeSeconds, exp: now + tokenLifeSeconds };
  let turn = 0;
  return () => [
    {
      path,
      setupRequest(request) {
        const n = turn++;
        const token = signToken(tokenSecret, { sub: `viewer-${n % viewers}`, ...times, jti: String(n) });
        return { ...request, headers: { host, authorization: `Bearer ${token}` } };
      },
    },
  ];
}
