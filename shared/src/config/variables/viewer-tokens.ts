import { boolean, integer, list, oneOf, type Parser, secret } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import { Secret } from '../secret.ts';
import { secretBytes, several } from '../secret-parsers.ts';
import type { Fault } from '../source.ts';
import { claimPath, singleValue } from '../token-parsers.ts';
import { url } from '../url-parsers.ts';
import { variable } from '../variable.ts';

/** Where a request may carry a viewer's token. */
export type ViewerTokenPlace = 'header' | 'query' | 'cookie';

const tokenPlaces: readonly ViewerTokenPlace[] = ['header'];
const httpUrl = url('http', 'https');

/** Plain HTTP is allowed for a key set on the same machine or network, but anyone who can alter it can forge tokens. */
const keySetUrl: Parser<string> = {
  forms: httpUrl.forms,
  parse(value) {
    const parsed = httpUrl.parse(value);
    if ('wrong' in parsed || isSafeToFetch(new URL(value))) return parsed;
    return { value, warning: 'is fetched over plain HTTP: anyone who can alter the answer can forge tokens' };
  },
};

function isSafeToFetch({ protocol, hostname }: URL): boolean {
  return (
    protocol === 'https:' ||
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    /^127\.[0-9.]+$/.test(hostname)
  );
}

/** `ALLOW_ANONYMOUS_VIEWERS`: every start warns of what it opens. */
const anonymous: Parser<boolean> = {
  forms: boolean.forms,
  parse: (value) =>
    value === 'true'
      ? {
          value: true,
          warning: 'is true: where no token is configured, anyone who can reach the server gets keys',
        }
      : boolean.parse(value),
};

/** `AUTH_JWT_REQUIRE_IAT`: every start warns of what `false` costs. */
const requireIat: Parser<boolean> = {
  forms: boolean.forms,
  parse: (value) =>
    value === 'false'
      ? {
          value: false,
          warning:
            'is false: every revocation is remembered against tokens until it is lifted, a row of some 200 bytes for each viewer or content that was revoked. Those that were removed before it was set to false do not hold against old tokens without iat: replace the key that signs tokens',
        }
      : boolean.parse(value),
};

/** `AUTH_JWT_CONTENT_CLAIM_REQUIRED`: every start warns of what `false` opens. */
const contentClaimRequired: Parser<boolean> = {
  forms: boolean.forms,
  parse: (value) =>
    value === 'false'
      ? { value: false, warning: 'is false: a token without the content claim opens every content' }
      : boolean.parse(value),
};

/** How viewers' JWTs are checked. */
export const viewerTokenVariables = {
  authJwtSecret: variable({
    name: 'AUTH_JWT_SECRET',
    type: secret(secretBytes),
    about: 'The shared secret for HS256. Unset: HS256 is not accepted.',
  }),
  authJwtSecretPrevious: variable({
    name: 'AUTH_JWT_SECRET_PREVIOUS',
    type: secret(several(secretBytes)),
    fallback: new Secret<readonly Buffer[]>([]),
    mayBeEmpty: true,
    about: 'Secrets for HS256 that are accepted beside AUTH_JWT_SECRET while it is replaced.',
  }),
  authJwksUrl: variable({
    name: 'AUTH_JWKS_URL',
    type: keySetUrl,
    about: 'The key set for RS256, ES256 and EdDSA. Unset: these are not accepted.',
  }),
  authJwtAudience: variable({
    name: 'AUTH_JWT_AUDIENCE',
    type: singleValue,
    about: 'The `aud` that a token must carry. Unset: not checked.',
  }),
  authJwtIssuer: variable({
    name: 'AUTH_JWT_ISSUER',
    type: singleValue,
    about: 'The `iss` that a token must carry. Unset: not checked.',
  }),
  authJwtClockToleranceSeconds: variable({
    name: 'AUTH_JWT_CLOCK_TOLERANCE_SECONDS',
    // A larger difference than five minutes means a wrong clock, not a drifting one.
    type: integer(0, 300),
    fallback: 10,
    about:
      'How far the clock of the application that issues tokens may differ, for `exp`, `nbf` and `iat`. A revocation holds for tokens issued up to so long after it.',
  }),
  authJwtMaxAgeSeconds: variable({
    name: 'AUTH_JWT_MAX_AGE_SECONDS',
    // At most a year, because revocation marks are kept for this long.
    type: integer(1, 31_536_000),
    fallback: 86_400,
    about: 'Older tokens are refused, and so long a revocation is remembered against tokens.',
  }),
  authJwtRequireIat: variable({
    name: 'AUTH_JWT_REQUIRE_IAT',
    type: requireIat,
    fallback: true,
    about:
      'Refuses tokens without `iat`. false: they are accepted where `exp` is within AUTH_JWT_MAX_AGE_SECONDS, and every revocation holds against them, and is kept until it is lifted.',
  }),
  authJwtContentClaim: variable({
    name: 'AUTH_JWT_CONTENT_CLAIM',
    type: claimPath,
    // Without a fallback, because it matters whether an operator has set it.
    about:
      'The claim that limits which contents a token opens. Set: a token without it opens none. Unset: `content_ids`, and a token without it opens all.',
  }),
  authJwtContentClaimRequired: variable({
    name: 'AUTH_JWT_CONTENT_CLAIM_REQUIRED',
    type: contentClaimRequired,
    about:
      'Whether a token without the content claim opens nothing. Unset: `true` if AUTH_JWT_CONTENT_CLAIM is set.',
  }),
  authJwtViewerClaim: variable({
    name: 'AUTH_JWT_VIEWER_CLAIM',
    type: claimPath,
    fallback: 'sub',
    about: 'The claim with the id of the viewer.',
  }),
  viewerTokenFrom: variable({
    name: 'VIEWER_TOKEN_FROM',
    type: list(oneOf('header', 'query', 'cookie')),
    fallback: tokenPlaces,
    about: 'Where the token is looked for: query and cookie are for players that cannot set headers.',
  }),
  allowAnonymousViewers: variable({
    name: 'ALLOW_ANONYMOUS_VIEWERS',
    type: anonymous,
    fallback: false,
    about: 'Lets the server start without AUTH_JWT_SECRET and AUTH_JWKS_URL. Never in production.',
  }),
};

/** Neither JWT variable is set: allowed only with anonymous viewers, and never in production or with presign. */
export const viewerTokenRule: Rule<{
  authJwtSecret?: Secret<Buffer> | undefined;
  authJwtSecretPrevious?: Secret<readonly Buffer[]>;
  authJwksUrl?: string | undefined;
  allowAnonymousViewers?: boolean;
  nodeEnv?: string | undefined;
  enablePresign?: boolean;
}> = {
  uses: [
    'authJwtSecret',
    'authJwtSecretPrevious',
    'authJwksUrl',
    'allowAnonymousViewers',
    'nodeEnv',
    'enablePresign',
  ],
  check({
    authJwtSecret,
    authJwtSecretPrevious,
    authJwksUrl,
    allowAnonymousViewers,
    nodeEnv,
    enablePresign,
  }) {
    if (!authJwtSecret && authJwtSecretPrevious && authJwtSecretPrevious.reveal().length > 0) {
      const message = `AUTH_JWT_SECRET_PREVIOUS is set without AUTH_JWT_SECRET. Accepted: both, or AUTH_JWT_SECRET alone.`;
      return [{ variable: 'AUTH_JWT_SECRET_PREVIOUS', message }];
    }
    if (authJwtSecret || authJwksUrl) return [];
    const set = `Set AUTH_JWT_SECRET (accepted: ${secretBytes.forms}) or AUTH_JWKS_URL (accepted: ${keySetUrl.forms}).`;
    const faults: Fault[] = [];
    const refuse = (variable: string, message: string) => faults.push({ variable, message });
    if (!allowAnonymousViewers) {
      // Suggested only where the next check would accept it.
      const exception =
        nodeEnv === 'production' || enablePresign
          ? ''
          : ' Development without viewer tokens: ALLOW_ANONYMOUS_VIEWERS=true.';
      refuse('AUTH_JWT_SECRET', `AUTH_JWT_SECRET and AUTH_JWKS_URL are both not set. ${set}${exception}`);
      return faults;
    }
    if (nodeEnv === 'production') {
      const why = 'is true, which NODE_ENV=production does not allow without viewer tokens';
      refuse('ALLOW_ANONYMOUS_VIEWERS', `ALLOW_ANONYMOUS_VIEWERS ${why}. ${set}`);
    }
    if (enablePresign) {
      const why = 'is true without viewer tokens: anyone could upload to the bucket';
      refuse('ENABLE_PRESIGN', `ENABLE_PRESIGN ${why}. ${set}`);
    }
    return faults;
  },
};
