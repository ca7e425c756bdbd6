import type { CorsOrigins } from '../config/url-forms.ts';
import type { TrustProxy } from '../net/index.ts';
import type { ConfigurationWarning } from './process-report.ts';

const configuration = 'docs/operate/configuration.md#set-most-often';

/** Only the values that some process has; each process checks its own. */
export interface JudgedValues extends PreviousSecrets {
  trustProxy?: TrustProxy;
  corsOrigins?: CorsOrigins;
  rateLimit?: string;
  leaseMode?: string;
  allowAnonymousViewers?: boolean;
  authIssuers?: unknown;
  authJwtSecret?: unknown;
  authJwksUrl?: unknown;
  viewerTokenFrom?: readonly string[];
}

/** The doubtful settings of one process. */
export function judgeConfiguration(values: JudgedValues): ConfigurationWarning[] {
  const { trustProxy, corsOrigins, rateLimit, leaseMode, viewerTokenFrom = [] } = values;
  const warnings: ConfigurationWarning[] = [];
  const warn = (
    severity: ConfigurationWarning['severity'],
    code: string,
    title: string,
    detail: string,
  ): void => void warnings.push({ code, severity, title, detail, documentation: configuration });
  if (trustProxy?.kind === 'all') {
    const detail =
      'TRUST_PROXY=true accepts any X-Forwarded-For, so a client can choose the address that rate limits, log and audit use. Name the proxies, or their number.';
    warn('warning', 'TRUST_PROXY_ALL', 'Every proxy is trusted', detail);
  }
  const verifiesTokens = Boolean(values.authIssuers || values.authJwtSecret || values.authJwksUrl);
  if (values.allowAnonymousViewers && !verifiesTokens) {
    const detail =
      'ALLOW_ANONYMOUS_VIEWERS=true serves content keys to anyone. Set AUTH_JWT_SECRET, AUTH_JWKS_URL or AUTH_ISSUERS.';
    warn('warning', 'ANONYMOUS_VIEWERS', 'Viewers need no token', detail);
  }
  if (corsOrigins === '*') {
    const detail = 'CORS_ORIGINS=* lets every web page call this server. Name the origins of your own pages.';
    warn('warning', 'CORS_ANY_ORIGIN', 'Any web page can call', detail);
  }
  if (leaseMode === 'off') {
    const detail = 'LEASE_MODE=off: without leases, a viewer keeps access until the token expires.';
    warn('notice', 'LEASES_OFF', 'Viewers cannot be cut off', detail);
  }
  if (viewerTokenFrom.includes('query')) {
    const detail =
      'VIEWER_TOKEN_FROM includes query. Proxies and browsers store URLs, including tokens, in their logs and histories.';
    warn('notice', 'TOKENS_IN_URLS', 'Tokens can appear in URLs', detail);
  }
  if (rateLimit === 'off') {
    const detail = 'RATE_LIMIT=off. Unless a proxy in front limits requests, set it to on.';
    warn('notice', 'RATE_LIMIT_OFF', 'Rate limiting is off', detail);
  }
  return [...warnings, ...judgePreviousSecrets(values)];
}

const rotations = [
  { key: 'adminApiKeyPrevious', variable: 'ADMIN_API_KEY_PREVIOUS' },
  { key: 'authJwtSecretPrevious', variable: 'AUTH_JWT_SECRET_PREVIOUS' },
  { key: 'internalSecretPrevious', variable: 'INTERNAL_SECRET_PREVIOUS' },
] as const;

/** The previous secrets that the process has. */
type PreviousSecrets = {
  [Key in (typeof rotations)[number]['key']]?: { reveal(): readonly unknown[] };
};

/** A warning for each variable by which a second secret is accepted. That is right during a rotation, and is forgotten easily. */
export function judgePreviousSecrets(values: PreviousSecrets): ConfigurationWarning[] {
  return rotations.flatMap(({ key, variable }): ConfigurationWarning[] => {
    const count = values[key]?.reveal().length ?? 0;
    if (count === 0) return [];
    const also = count === 1 ? 'a second secret is' : `${count} further secrets are`;
    return [
      {
        code: `${variable}_SET`,
        severity: 'warning',
        title: 'A rotation of secrets is not finished',
        detail: `${variable} is set, so ${also} accepted. Once nobody uses it any more, empty the variable or its file, and start the process again.`,
        documentation: 'docs/operate/rotation.md#steps',
      },
    ];
  });
}
