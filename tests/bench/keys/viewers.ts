import { makeIssuerKey, nowSeconds, viewerToken } from '@latchkey/support/tokens';
import { type RequestSource, requestText } from '../load/request-source.ts';
import { adminKey, call, type Subject, tokenSecret } from '../servers.ts';

/** As many as watch one film of a small service. Each has a token of its own. */
export const viewers = 1_000;
export const keyPath = '/keys/film/0';
/** Longer than a run takes. */
const tokenLifeSeconds = 7_200;
/** The longest that `LEASE_MAX_TTL_SECONDS` allows by default: leases outlive a run. */
const leaseSeconds = 3_600;
/** Leases are created before the measurement; more at once would only wait. */
const createdAtOnce = 16;

/** Tokens (HS256) of all viewers, in order. */
export function viewerTokens(): string[] {
  const exp = nowSeconds() + tokenLifeSeconds;
  return numbers().map((n) => viewerToken(tokenSecret, `viewer-${n}`, { exp }));
}

/** Tokens (ES256) of all viewers, in order, and the key set that verifies them. */
export async function issuedTokens(): Promise<{ tokens: string[]; keySet: string }> {
  const issuer = await makeIssuerKey('ES256', 'key-of-the-measurement');
  const exp = nowSeconds() + tokenLifeSeconds;
  const tokens = await Promise.all(numbers().map((n) => issuer.sign(`viewer-${n}`, { exp })));
  return { tokens, keySet: JSON.stringify({ keys: [issuer.jwk] }) };
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

/** Requests of each viewer in turn. @param leases one for each token; left out: without leases */
export function listedRequests(
  tokens: readonly string[],
  leases?: readonly string[],
  further: readonly string[] = [],
): RequestSource {
  const requests = tokens.map((token, n) => {
    const lease = leases ? [`x-lease-id: ${leases[n]}`] : [];
    return requestText(keyPath, 'keys.example', [`authorization: Bearer ${token}`, ...lease, ...further]);
  });
  return { kind: 'listed', requests };
}

function numbers(): number[] {
  return Array.from({ length: viewers }, (_, n) => n);
}
