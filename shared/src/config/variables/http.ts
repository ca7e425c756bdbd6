import { parseTrustProxy, type TrustProxy, trustProxyForms } from '../../net/index.ts';
import { boolean, integer, oneOf, type Parser, text } from '../parsers.ts';
import type { Rule } from '../read-config.ts';
import { type CorsOrigins, origins, url } from '../url-parsers.ts';
import { variable } from '../variable.ts';

/** The ports of `docs/contract.md#transport`. */
export const defaultPorts = {
  gateway: 4100,
  keyDerivation: 4101,
  leases: 4102,
  auth: 4103,
  content: 4104,
  playback: 4105,
} as const;

const delay = integer(1, 10_000);

const overloadDelay: Parser<number | 'off'> = {
  forms: `${delay.forms}, or \`off\``,
  parse: (text) => (text === 'off' ? { value: 'off' } : delay.parse(text)),
};

/** Another spelling would leave open what production closes, such as setup from this machine. */
const environmentName: Parser<string> = {
  forms: '`production`, `development` or another word in lower case',
  parse: (value) => (/^[a-z][a-z0-9_-]*$/.test(value) ? { value } : { wrong: 'is not a word in lower case' }),
};

/** Settings of every process. `port` is its default, one of `defaultPorts`. */
export function processVariables(port: number) {
  return {
    port: variable({
      name: 'PORT',
      type: integer(0, 65_535),
      fallback: port,
      about: 'The port that this process listens on; 0 takes a free one.',
    }),
    host: variable({
      name: 'HOST',
      type: text,
      fallback: '0.0.0.0',
      about: 'The address that this process listens on.',
    }),
    nodeEnv: variable({
      name: 'NODE_ENV',
      type: environmentName,
      about:
        '`production` refuses what is only fit for development, and lets nobody claim the server without the bootstrap key.',
    }),
    shutdownDrainSeconds: variable({
      name: 'SHUTDOWN_DRAIN_SECONDS',
      type: integer(0, 300),
      // Long enough for a load balancer that probes every second or two to stop sending requests.
      fallback: 5,
      about: 'How long a process goes on answering after SIGTERM, not ready, before it closes.',
    }),
    overloadDelay: variable({
      name: 'OVERLOAD_DELAY_MS',
      type: overloadDelay,
      // A refused viewer must come back, and requests that wait a little are all served. So an operator chooses it.
      fallback: 'off',
      about:
        'How late the event loop of the process may be, on average over a second. While it is later, because more requests come than it can serve, requests of viewers for keys, playlists and new leases get 503. `off` lets all of them wait.',
    }),
  };
}

const noProxy: TrustProxy = { kind: 'none' };
const noOrigins: CorsOrigins = [];

/** Settings of the front door alone: who the client is, and which pages may call. */
export const gatewayVariables = {
  logClientIp: variable({
    name: 'LOG_CLIENT_IP',
    type: oneOf('full', 'short', 'none'),
    fallback: 'full',
    about:
      'How much of client addresses the request log shows: `short` keeps the /24 of IPv4 and the /48 of IPv6. The audit is not changed by it.',
  }),
  logViewerId: variable({
    name: 'LOG_VIEWER_ID',
    type: oneOf('full', 'hash', 'none'),
    fallback: 'full',
    about:
      'How much of the ids of viewers the request log shows: `hash` writes the first 12 digits of their SHA-256. The audit is not changed by it.',
  }),
  trustProxy: variable({
    name: 'TRUST_PROXY',
    type: { forms: trustProxyForms, parse: parseTrustProxy },
    fallback: noProxy,
    about: 'The proxies whose X-Forwarded-For is trusted. Set it only behind a proxy.',
  }),
  trustTraceparent: variable({
    name: 'TRUST_TRACEPARENT',
    type: boolean,
    fallback: false,
    about:
      'Takes the `traceparent` of requests, so that the caller decides which are traced. Only where a proxy in front sets or removes it.',
  }),
  corsOrigins: variable({
    name: 'CORS_ORIGINS',
    type: origins,
    fallback: noOrigins,
    about: 'The web pages that may call from a browser. None: no CORS headers.',
  }),
  publicUrl: variable({
    name: 'PUBLIC_URL',
    type: url('http', 'https'),
    about: 'The base of absolute URLs in answers. Unset: answers hold paths only.',
  }),
  rateLimit: variable({
    name: 'RATE_LIMIT',
    type: oneOf('on', 'off'),
    fallback: 'off',
    about: 'Enforces the rates below, per viewer or API key where there is one, else per client IP.',
  }),
};

/** The gateway's rules need to know whether presign is on, and so does the content service. */
export const enablePresign = variable({
  name: 'ENABLE_PRESIGN',
  type: boolean,
  fallback: false,
  about: 'Turns POST /presign on. Viewer authentication and the S3 variables are then required.',
});

/** `CORS_ORIGINS=*` is refused with `NODE_ENV=production`. */
export const corsRule: Rule<{ corsOrigins?: CorsOrigins; nodeEnv?: string | undefined }> = {
  uses: ['corsOrigins', 'nodeEnv'],
  check({ corsOrigins, nodeEnv }) {
    if (corsOrigins !== '*' || nodeEnv !== 'production') return [];
    const message = `CORS_ORIGINS is "*", which NODE_ENV=production does not allow. Accepted: ${origins.forms.replace(', or `*` alone', '')}.`;
    return [{ variable: 'CORS_ORIGINS', message }];
  },
};
