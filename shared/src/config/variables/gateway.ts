import { z } from 'zod';
import { parseTrustProxy, trustProxyForms } from '../../net/index.ts';
import { bearerCredential, boolean, integer, oneOf, secret } from '../forms.ts';
import type { Report, Values } from '../settings.ts';
import { baseUrl, pageOriginForms, pageOrigins } from '../url-forms.ts';
import type { processVariables } from './process.ts';

const trustProxy = z
  .string()
  .transform((value, context) => {
    const trusted = parseTrustProxy(value);
    if (!trusted) context.addIssue('is not one of the accepted forms');
    return trusted ?? z.NEVER;
  })
  .meta({ forms: trustProxyForms });

/** The header is taken out of requests, so it must not be one that the server reads. */
const userHeader = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'is not the name of a header')
  .transform((value) => value.toLowerCase())
  .refine(
    (name) => /user|email|name|login|subject|identity/.test(name) && !/agent|latchkey/.test(name),
    'is not the name of a header for a person',
  )
  .meta({
    forms: 'the name of a header such as `Remote-User` or `X-Auth-Request-Email`',
  });

/** Settings of the front door alone: who the client is, and which pages may call. */
export const gatewayVariables = {
  LOG_CLIENT_IP: oneOf('full', 'short', 'none')
    .default('full')
    .describe(
      'How much of client addresses the request log shows: `short` keeps the /24 of IPv4 and the /48 of IPv6. The audit is not changed by it.',
    ),
  LOG_VIEWER_ID: oneOf('full', 'hash', 'none')
    .default('full')
    .describe(
      'How much of the ids of viewers the request log shows: `hash` writes the first 12 digits of their SHA-256. The audit is not changed by it.',
    ),
  TRUST_PROXY: trustProxy
    .default({ kind: 'none' })
    .describe('The proxies whose X-Forwarded-For is trusted. Set it only behind a proxy.'),
  DASHBOARD_USER_HEADER: userHeader
    .optional()
    .describe(
      'The header in which a proxy with sign-on names the person, for the audit. It needs DASHBOARD_USER_SECRET, and the addresses of the proxy in TRUST_PROXY.',
    ),
  DASHBOARD_USER_SECRET: secret(bearerCredential)
    .optional()
    .describe('The proxy sends it as `X-Latchkey-Proxy-Secret`. A name without it is ignored.'),
  TRUST_TRACEPARENT: boolean
    .default(false)
    .describe(
      'Takes the `traceparent` of requests, so that the caller decides which are traced. Only where a proxy in front sets or removes it.',
    ),
  CORS_ORIGINS: pageOrigins
    .default([])
    .describe(
      'The pages, of the web or of an application, that may call from a browser. None: no CORS headers.',
    ),
  PUBLIC_URL: baseUrl
    .optional()
    .describe(
      'The base of absolute URLs in answers. Its path is one that a proxy strips. Unset: answers hold paths only.',
    ),
  RATE_LIMIT: oneOf('on', 'off')
    .default('off')
    .describe('Enforces the rates below, per viewer or API key if the request has one, else per client IP.'),
};

/** A higher figure limits nothing. */
const perMinute = integer(1, 1_000_000);

/** The figures of `RATE_LIMIT=on`. The first four are in `docs/reference/contract.md#rate-limits`. */
export const rateLimitVariables = {
  RATE_LIMIT_KEYS_PER_MINUTE: perMinute
    .default(60)
    .describe('Key requests of a viewer, or of an address without one.'),
  RATE_LIMIT_API_PER_MINUTE: perMinute
    .default(30)
    .describe('Calls of the API of an address, whatever its credential.'),
  RATE_LIMIT_PRESIGN_PER_MINUTE: perMinute.default(10).describe('Upload URLs of a viewer.'),
  RATE_LIMIT_LEASES_PER_MINUTE: perMinute
    .default(10)
    .describe('Leases and sessions that a viewer creates or renews, together.'),
  RATE_LIMIT_DASHBOARD_PER_MINUTE: perMinute
    // Ten a second: four windows of the dashboard read two a second by themselves, and an admin who clicks adds three or four.
    .default(600)
    .describe('What the dashboard reads with an API key.'),
  RATE_LIMIT_PLAYLISTS_PER_MINUTE: perMinute
    // A live player reloads two playlists every few seconds. Viewers in a home share an address.
    .default(600)
    .describe('Playlists of session URLs that an address fetches.'),
  RATE_LIMIT_API_KEY_PER_MINUTE: perMinute
    // Twenty a second: an encoder reads the keys of a film's hundred epochs at once, an upload asks for thousands of segments.
    .default(1_200)
    .describe('Key requests, upload URLs and leases of an API key, each of the three by itself.'),
};

type GatewayValues = Partial<Values<typeof gatewayVariables & ReturnType<typeof processVariables>>>;

/** `CORS_ORIGINS=*` is refused with `NODE_ENV=production`. */
export function checkCors({ corsOrigins, nodeEnv }: GatewayValues, { refuse }: Report): void {
  if (corsOrigins !== '*' || nodeEnv !== 'production') return;
  refuse('CORS_ORIGINS', `is "*", which NODE_ENV=production does not allow. Accepted: ${pageOriginForms}`);
}

/** A name that any client could send says nothing about who acted. */
export function checkDashboardUser(
  { dashboardUserHeader, dashboardUserSecret, trustProxy: trusted }: GatewayValues,
  { refuse }: Report,
): void {
  if (dashboardUserHeader === undefined) return;
  if (dashboardUserSecret === undefined)
    refuse('DASHBOARD_USER_SECRET', 'is missing: DASHBOARD_USER_HEADER needs it');
  if (trusted?.kind !== 'list')
    refuse('TRUST_PROXY', 'has to list the addresses of the proxy: DASHBOARD_USER_HEADER needs them');
}

export function warnOfEveryProxy({ trustProxy: trusted }: GatewayValues, { warn }: Report): void {
  if (trusted?.kind !== 'all') return;
  const risk = 'any client can pretend to have any address, unless every way in is through a proxy';
  warn('TRUST_PROXY', `is true: ${risk}`);
}
