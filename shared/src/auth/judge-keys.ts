import type { CryptoKey, JSONWebKeySet, JWK, JWTHeaderParameters } from 'jose';
import { createLocalJWKSet } from 'jose/jwks/local';

/** The algorithms of keys in a key set. EdDSA is Ed25519 by its older name (RFC 8037); RFC 9864 names the curve. */
export const keySetAlgorithms = ['RS256', 'ES256', 'EdDSA', 'Ed25519'];
/** The algorithm of a key that names none, by its type. */
const usualAlgorithms = new Map<unknown, string>([
  ['RSA', 'RS256'],
  ['EC', 'ES256'],
  ['OKP', 'EdDSA'],
]);
/** The curves of these algorithms, by type. */
const usualCurves = new Map<unknown, string>([
  ['EC', 'P-256'],
  ['OKP', 'Ed25519'],
]);
/** RFC 7518 section 3.3. */
const leastRsaBits = 2_048;
/** A `kid` is a hash or a short name. The document comes from elsewhere, so a longer one is cut in messages. */
const shownCharacters = 100;
/** More names than this make a line that nobody reads. */
const shownKeys = 10;

/** A key of a key set that no token can be verified with. */
interface UnusableKey {
  jwk: JWK;
  /** Why, for the operator. */
  reason: string;
}

export type JudgedKeys = Awaited<ReturnType<typeof judgeKeys>>;

/**
 * Divides a key set into the keys that can verify tokens and the keys that cannot.
 *
 * @returns `find` finds a key among the usable ones
 * @throws JWKSInvalid if the document is no key set (RFC 7517 section 5)
 */
export async function judgeKeys(document: unknown) {
  const { keys } = createLocalJWKSet(document as JSONWebKeySet).jwks();
  const usable: JWK[] = [];
  const unusable: UnusableKey[] = [];
  for (const jwk of keys) {
    const reason = await findFault(jwk);
    if (reason === null) usable.push(jwk);
    else unusable.push({ jwk, reason });
  }
  return { usable, find: createLocalJWKSet({ keys: usable }), unusable };
}

/** Whether a token with this header may be signed with this key: it names it, or names none and the key fits its `alg`. */
export function mayBeKeyOf(header: JWTHeaderParameters, jwk: JWK): boolean {
  if (header.kid !== undefined) return jwk.kid === header.kid;
  return !isForEncryption(jwk) && algorithmOf(jwk) === header.alg;
}

/**
 * The keys that cannot be used, each with its reason, for the operator. Keys for encryption are left out: identity providers publish
 * them for others.
 *
 * @returns an empty text if there is nothing to report
 */
export function describeUnusableKeys(unusable: readonly UnusableKey[]): string {
  const named = unusable
    .filter(({ jwk }) => !isForEncryption(jwk))
    .map(
      ({ jwk, reason }) => `${typeof jwk.kid === 'string' ? show(jwk.kid) : 'a key without kid'}: ${reason}`,
    )
    // Some providers send their keys in another order each time, which is no reason to report them again.
    .sort();
  const more = named.length - shownKeys;
  return [...named.slice(0, shownKeys), ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/** Why the key cannot be used; null if it can. */
async function findFault(jwk: JWK): Promise<string | null> {
  const alg = algorithmOf(jwk);
  if (isForEncryption(jwk)) return 'it is for encryption';
  if (alg === undefined) return `its type (kty) is ${show(jwk.kty)}, not RSA, EC or OKP`;
  if (!keySetAlgorithms.includes(alg))
    return `its algorithm is ${show(alg)}, not ${keySetAlgorithms.join(', ')}`;
  let key: CryptoKey;
  try {
    key = await createLocalJWKSet({ keys: [jwk] })({ alg });
  } catch {
    return explainFault(jwk);
  }
  const { modulusLength } = key.algorithm as { modulusLength?: number };
  return modulusLength !== undefined && modulusLength < leastRsaBits
    ? `it has ${modulusLength} bits, and RSA needs ${leastRsaBits}`
    : null;
}

/** Why the library does not take the key. Its own messages do not name the member. */
function explainFault(jwk: JWK): string {
  const curve = usualCurves.get(jwk.kty);
  if (curve !== undefined && jwk.crv !== curve) return `its curve (crv) is ${show(jwk.crv)}, not ${curve}`;
  if (jwk.d !== undefined) return 'it is a private key, which must not be published: replace it';
  if (jwk.kty === 'RSA' && jwk.x5c !== undefined && jwk.n === undefined)
    return 'it is a certificate (x5c) alone, without n and e';
  return 'its members are missing or do not fit each other';
}

const algorithmOf = (jwk: JWK) => jwk.alg ?? usualAlgorithms.get(jwk.kty);
const isForEncryption = (jwk: JWK) => jwk.use === 'enc';

/** In quotes, so that no text of the document passes for our own. */
function show(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? value.slice(0, shownCharacters) : typeof value);
}
