import {
  boolean,
  formOf,
  furtherSecrets,
  integer,
  list,
  oneOf,
  secret,
  secretBytes,
  text,
  textUnless,
} from '../forms.ts';
import type { Report, Values } from '../settings.ts';
import { url } from '../url-forms.ts';
import type { presignVariables } from './content.ts';
import type { processVariables } from './process.ts';

/** Where a request may carry a viewer's token. */
export type ViewerTokenPlace = 'header' | 'query' | 'cookie';

const keySetUrl = url('http', 'https');

/** These occur in lists, and in no audience, issuer or claim as identity providers write them. */
const signsOfList = /[\s,|"']|^[[{]/;
const isList = 'looks like a list, and only one value is accepted';
const whyNotText = (value: string) => text.safeParse(value).error?.issues[0]?.message;

/** One audience or one issuer. Two that were read as one would match no token, and refuse every viewer. */
const singleName = textUnless(
  'one value, such as `https://example.com/`, without white space, commas and quotation marks',
  (value) => {
    if (value === '') return 'is empty';
    // A URL may have semicolons in its path.
    const parts = value.split(';').filter((part) => part !== '');
    const isUrl = value.includes('://') && !parts.slice(1).some((part) => part.includes('://'));
    return signsOfList.test(value) || (parts.length > 1 && !isUrl) ? isList : whyNotText(value);
  },
);

/** The place of a claim in a token: its name or, beginning with `/`, a JSON Pointer (RFC 6901). */
const claimPath = textUnless(
  'the name of one claim, such as `films` or `https://example.com/films`, or a JSON Pointer (RFC 6901) such as `/app_metadata/content_ids`',
  (value) => {
    if (/^[^/]/.test(value) && (signsOfList.test(value) || value.includes(';'))) return isList;
    if (value.startsWith('/') && /~(?![01])/.test(value)) return 'has a `~` that is not part of `~0` or `~1`';
    // Within a pointer these may belong to a name.
    if (value.startsWith('/') && /[,;|]\s*\/|\s\//.test(value)) return isList;
    return whyNotText(value);
  },
);

/** How viewers' JWTs are checked. */
export const viewerTokenVariables = {
  AUTH_JWT_SECRET: secret(secretBytes)
    .optional()
    .describe('The shared secret for HS256. Unset: HS256 is not accepted.'),
  AUTH_JWT_SECRET_PREVIOUS: furtherSecrets(secretBytes).describe(
    'Secrets for HS256 that are accepted beside AUTH_JWT_SECRET while it is replaced.',
  ),
  AUTH_JWKS_URL: keySetUrl
    .optional()
    .describe('The key set for RS256, ES256 and EdDSA. Unset: these are not accepted.'),
  AUTH_JWT_AUDIENCE: list(singleName)
    .optional()
    .describe('The audiences of which a token must carry one. Unset: not checked.'),
  AUTH_JWT_AUDIENCE_CLAIM: claimPath
    .default('aud')
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
  AUTH_JWT_VIEWER_CLAIM: claimPath.default('sub').describe('The claim with the id of the viewer.'),
  VIEWER_TOKEN_FROM: list(oneOf('header', 'query', 'cookie'))
    .default(['header'])
    .describe('Where the token is looked for: query and cookie are for players that cannot set headers.'),
  ALLOW_ANONYMOUS_VIEWERS: boolean
    .default(false)
    .describe('Lets the server start without AUTH_JWT_SECRET and AUTH_JWKS_URL. Never in production.'),
};

type ViewerTokenValues = Partial<
  Values<typeof viewerTokenVariables & typeof presignVariables & ReturnType<typeof processVariables>>
>;

/** Neither JWT variable is set: allowed only with anonymous viewers, and never in production or with presign. */
export function checkViewerTokens(values: ViewerTokenValues, { refuse }: Report): void {
  const { authJwtSecret, authJwtSecretPrevious, authJwksUrl, allowAnonymousViewers } = values;
  const { nodeEnv, enablePresign } = values;
  // A process that verifies no tokens.
  if (allowAnonymousViewers === undefined) return;
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
  const set = `Set AUTH_JWT_SECRET (accepted: ${formOf(secretBytes).forms}) or AUTH_JWKS_URL (accepted: ${formOf(keySetUrl).forms})`;
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
  if (values.authJwksUrl && !isSafeToFetch(new URL(values.authJwksUrl)))
    warn('AUTH_JWKS_URL', 'is fetched over plain HTTP: anyone who can alter the answer can forge tokens');
  if (values.authJwtRequireIat === false)
    warn(
      'AUTH_JWT_REQUIRE_IAT',
      'is false: every revocation is remembered against tokens until it is lifted, a row of some 200 bytes for each viewer or content that was revoked. Those that were removed before it was set to false do not hold against old tokens without iat: replace the key that signs tokens',
    );
  warnOfClaim('AUTH_JWT_CONTENT_CLAIM', values.authJwtContentClaim, warn);
  if (values.authJwtContentClaimRequired === false)
    warn(
      'AUTH_JWT_CONTENT_CLAIM_REQUIRED',
      'is false: a token without the content claim opens every content',
    );
  warnOfClaim('AUTH_JWT_VIEWER_CLAIM', values.authJwtViewerClaim, warn);
  if (values.allowAnonymousViewers)
    warn(
      'ALLOW_ANONYMOUS_VIEWERS',
      'is true: where no token is configured, anyone who can reach the server gets keys',
    );
}

/** Plain HTTP is safe on this machine only. */
function isSafeToFetch({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(localhost|\[::1\]|127\.[0-9.]+)$/.test(hostname);
}

/** A name that looks like a path is allowed, because it can be the name. If it is not, no token has such a claim. */
function warnOfClaim(variable: string, claim: string | undefined, warn: Report['warn']): void {
  if (!claim) return;
  if (claim.startsWith('/')) {
    if (claim.split('/').slice(1).includes(''))
      warn(variable, `is ${claim}, which names a claim whose name is empty`);
  } else if (/[./[]/.test(claim) && !claim.includes('://')) {
    // What the author of `app_metadata.content_ids`, `a/b` or `$.a["b"]` may have meant.
    const parts = claim.split(/[./[\]]+/).filter((part) => part !== '' && part !== '$' && part !== '#');
    const pointer = parts.map((part) => `/${part.replaceAll('~', '~0')}`).join('');
    warn(
      variable,
      `is ${claim}, and is read as one claim with this whole name. For a claim within another one, set it to ${pointer}`,
    );
  }
}
