import { boolean, formOf, furtherSecrets, integer, list, oneOf, secret, secretBytes } from '../forms.ts';
import {
  type Issuer,
  issuerEntries,
  nameIssuerSetting,
  resolveIssuers,
  usualAudienceClaim,
  usualContentClaim,
  usualViewerClaim,
} from '../issuers.ts';
import type { Report, Values } from '../settings.ts';
import { claimPath, keySetUrl, singleName } from '../token-forms.ts';
import type { presignVariables } from './content.ts';
import type { processVariables } from './process.ts';

/** Where a request may carry a viewer's token. */
export type ViewerTokenPlace = 'header' | 'query' | 'cookie';

/** How viewers' JWTs are checked. */
export const viewerTokenVariables = {
  AUTH_JWT_SECRET: secret(secretBytes)
    .optional()
    .describe('The shared secret for HS256. Unset: HS256 is not accepted.'),
  AUTH_JWT_SECRET_PREVIOUS: furtherSecrets(secretBytes).describe(
    'Secrets for HS256 that are accepted in addition to AUTH_JWT_SECRET while it is replaced.',
  ),
  AUTH_JWKS_URL: keySetUrl
    .optional()
    .describe('The key set for RS256, ES256 and EdDSA. Unset: these are not accepted.'),
  AUTH_JWT_AUDIENCE: list(singleName)
    .optional()
    .describe('The audiences of which a token must carry one. Unset: not checked.'),
  AUTH_JWT_AUDIENCE_CLAIM: claimPath
    .default(usualAudienceClaim)
    .describe('The claim with the audience: some identity providers use `client_id` or `azp`.'),
  AUTH_JWT_ISSUER: list(singleName)
    .optional()
    .describe('The values of `iss` of which a token must carry one. Unset: not checked.'),
  // A larger difference than five minutes means a wrong clock, not a drifting one.
  AUTH_JWT_CLOCK_TOLERANCE_SECONDS: integer(0, 300)
    .default(10)
    .describe(
      'How far the clock of the application that issues tokens may differ, for `exp`, `nbf` and `iat`. A revocation holds for tokens issued up to so long after it.',
    ),
  // At most a year, because revocation marks are kept for this long.
  AUTH_JWT_MAX_AGE_SECONDS: integer(1, 31_536_000)
    .default(86_400)
    .describe('Older tokens are refused, and so long a revocation is remembered against tokens.'),
  AUTH_JWT_REQUIRE_IAT: boolean
    .default(true)
    .describe(
      'Refuses tokens without `iat`. false: they are accepted where `exp` is within AUTH_JWT_MAX_AGE_SECONDS, and every revocation holds against them, and is kept until it is lifted.',
    ),
  // Without a default, because it matters whether an operator has set it.
  AUTH_JWT_CONTENT_CLAIM: claimPath
    .optional()
    .describe(
      'The claim that limits which contents a token opens. Set: a token without it opens none. Unset: `content_ids`, and a token without it opens all.',
    ),
  AUTH_JWT_CONTENT_CLAIM_REQUIRED: boolean
    .optional()
    .describe(
      'Whether a token without the content claim opens nothing. Unset: `true` if AUTH_JWT_CONTENT_CLAIM is set.',
    ),
  AUTH_JWT_VIEWER_CLAIM: claimPath.default(usualViewerClaim).describe('The claim with the id of the viewer.'),
  AUTH_ISSUERS: issuerEntries
    .optional()
    .describe(
      'Several issuers of tokens, each with its own keys, claims and contents. Set: in place of the variables for one issuer, which are then refused.',
    ),
  VIEWER_TOKEN_FROM: list(oneOf('header', 'query', 'cookie'))
    .default(['header'])
    .describe('Where the token is looked for: query and cookie are for players that cannot set headers.'),
  ALLOW_ANONYMOUS_VIEWERS: boolean
    .default(false)
    .describe(
      'Lets the server start without AUTH_JWT_SECRET, AUTH_JWKS_URL and AUTH_ISSUERS. Never in production.',
    ),
};

type ViewerTokenValues = Partial<
  Values<typeof viewerTokenVariables & typeof presignVariables & ReturnType<typeof processVariables>>
>;

/** The variables for one issuer that are set, and do not have their default. */
function findSimpleVariables(values: ViewerTokenValues): string[] {
  const set: Readonly<Record<string, boolean>> = {
    AUTH_JWT_SECRET: values.authJwtSecret !== undefined,
    AUTH_JWT_SECRET_PREVIOUS: (values.authJwtSecretPrevious?.reveal() ?? []).length > 0,
    AUTH_JWKS_URL: values.authJwksUrl !== undefined,
    AUTH_JWT_AUDIENCE: values.authJwtAudience !== undefined,
    AUTH_JWT_AUDIENCE_CLAIM: values.authJwtAudienceClaim !== usualAudienceClaim,
    AUTH_JWT_ISSUER: values.authJwtIssuer !== undefined,
    AUTH_JWT_VIEWER_CLAIM: values.authJwtViewerClaim !== usualViewerClaim,
    AUTH_JWT_CONTENT_CLAIM: values.authJwtContentClaim !== undefined,
    AUTH_JWT_CONTENT_CLAIM_REQUIRED: values.authJwtContentClaimRequired !== undefined,
  };
  return Object.keys(set).filter((name) => set[name]);
}

/** No variable that verifies tokens is set: allowed only with anonymous viewers, and never in production or with presign. */
export function checkViewerTokens(values: ViewerTokenValues, { refuse }: Report): void {
  const { authJwtSecret, authJwtSecretPrevious, authJwksUrl, allowAnonymousViewers } = values;
  const { nodeEnv, enablePresign } = values;
  // A process that verifies no tokens.
  if (allowAnonymousViewers === undefined) return;
  if (values.authIssuers) {
    const simple = findSimpleVariables(values);
    if (simple.length > 0)
      refuse(
        'AUTH_ISSUERS',
        `is set together with ${simple.join(', ')}. Accepted: AUTH_ISSUERS, or the variables for one issuer`,
      );
    return;
  }
  if (values.authJwtAudienceClaim !== 'aud' && !values.authJwtAudience)
    refuse(
      'AUTH_JWT_AUDIENCE_CLAIM',
      'is set without AUTH_JWT_AUDIENCE, so no audience would be checked. Accepted: both, or neither',
    );
  if (!authJwtSecret && authJwtSecretPrevious && authJwtSecretPrevious.reveal().length > 0) {
    refuse(
      'AUTH_JWT_SECRET_PREVIOUS',
      'is set without AUTH_JWT_SECRET. Accepted: both, or AUTH_JWT_SECRET alone',
    );
    return;
  }
  if (authJwtSecret || authJwksUrl) return;
  const set = `Set AUTH_JWT_SECRET (accepted: ${formOf(secretBytes).forms}) or AUTH_JWKS_URL (accepted: ${formOf(keySetUrl).forms}), or AUTH_ISSUERS for several issuers`;
  if (!allowAnonymousViewers) {
    // Suggested only where the next check would accept it.
    const isPossible = nodeEnv !== 'production' && !enablePresign;
    const exception = '. Development without viewer tokens: ALLOW_ANONYMOUS_VIEWERS=true';
    refuse('AUTH_JWT_SECRET', `and AUTH_JWKS_URL are both not set. ${set}${isPossible ? exception : ''}`);
    return;
  }
  if (nodeEnv === 'production')
    refuse(
      'ALLOW_ANONYMOUS_VIEWERS',
      `is true, which NODE_ENV=production does not allow without viewer tokens. ${set}`,
    );
  if (enablePresign)
    refuse('ENABLE_PRESIGN', `is true without viewer tokens: anyone could upload to the bucket. ${set}`);
}

/** Every start warns of what these values open or cost. */
export function warnOfViewerTokens(values: ViewerTokenValues, { warn }: Report): void {
  const issuers = resolveIssuers(values);
  if (values.authJwtRequireIat === false)
    warn(
      'AUTH_JWT_REQUIRE_IAT',
      'is false: every revocation is remembered against tokens until it is lifted, a row of some 200 bytes for each viewer or content that was revoked. Revocations that were removed before it was set to false do not hold against old tokens without iat: replace the key that signs tokens',
    );
  for (const issuer of issuers) warnOfIssuer(issuer, values, warn);
  warnOfSharedViewers(issuers, warn);
  if (values.allowAnonymousViewers)
    warn(
      'ALLOW_ANONYMOUS_VIEWERS',
      'is true: if no token is configured, anyone who can reach the server gets keys',
    );
}

function warnOfIssuer(issuer: Issuer, values: ViewerTokenValues, warn: Report['warn']): void {
  const { jwksUrl, contentClaim, viewerClaim, audienceClaim } = issuer;
  if (jwksUrl && !isSafeToFetch(new URL(jwksUrl)))
    warn(
      nameIssuerSetting(issuer, 'jwksUrl'),
      'is fetched over plain HTTP: anyone who can alter the answer can forge tokens',
    );
  warnOfClaim(nameIssuerSetting(issuer, 'contentClaim'), contentClaim, warn);
  if (opensWithoutClaim(issuer, values))
    warn(
      nameIssuerSetting(issuer, 'contentClaimRequired'),
      'is false: a token without the content claim opens every content',
    );
  warnOfClaim(nameIssuerSetting(issuer, 'viewerClaim'), viewerClaim, warn);
  warnOfClaim(nameIssuerSetting(issuer, 'audienceClaim'), audienceClaim, warn);
}

/** Whether the operator has set it so. Without a claim of the operator's own it is the default. */
function opensWithoutClaim(
  { isEntry, contentClaim, contentClaimRequired }: Issuer,
  values: ViewerTokenValues,
) {
  if (!isEntry) return values.authJwtContentClaimRequired === false;
  return !contentClaimRequired && contentClaim !== usualContentClaim;
}

/** Prefixes that are equal are allowed, because two issuers may know the same viewers. */
function warnOfSharedViewers(issuers: readonly Issuer[], warn: Report['warn']): void {
  for (const [prefix, sharing] of Map.groupBy(issuers, ({ viewerPrefix }) => viewerPrefix)) {
    if (sharing.length < 2) continue;
    const names = sharing.map(({ name }) => name).join(', ');
    warn(
      'AUTH_ISSUERS',
      `has entries ${prefix === '' ? 'without a viewerPrefix' : `with the same viewerPrefix, ${prefix}`}: ${names}. An id that several of them issue is one viewer, with its leases, revocations and limits. Unless they issue the ids of the same people, give each a viewerPrefix`,
    );
  }
}

/** Plain HTTP is safe on this machine only. */
function isSafeToFetch({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(localhost|\[::1\]|127\.[0-9.]+)$/.test(hostname);
}

/** A name that looks like a path is allowed, because it can be the name. If it is not, no token has such a claim. */
function warnOfClaim(variable: string, claim: string, warn: Report['warn']): void {
  if (claim.startsWith('/')) {
    if (claim.split('/').slice(1).includes(''))
      warn(variable, `is ${claim}, which names a claim whose name is empty`);
  } else if (/[./[]/.test(claim) && !claim.includes('://')) {
    // The claim that the author of `app_metadata.content_ids`, `a/b` or `$.a["b"]` may have meant.
    const parts = claim.split(/[./[\]]+/).filter((part) => part !== '' && part !== '$' && part !== '#');
    const pointer = parts.map((part) => `/${part.replaceAll('~', '~0')}`).join('');
    warn(
      variable,
      `is ${claim}, and is read as one claim with this whole name. For a claim within another one, set it to ${pointer}`,
    );
  }
}
