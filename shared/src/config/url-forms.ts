import { parseNatsUrls, parseRedisUrl, splitHosts } from '../net/index.ts';
import { formOf, textUnless } from './forms.ts';

/** Every origin (`*`), or exactly the ones listed. */
export type CorsOrigins = '*' | readonly string[];

/** A second URL in one value. The comma alone is not a sign of it: paths may have commas. */
const severalUrls = /[,;|]\s*[a-z][a-z0-9+.-]*:\/\//i;
/** The URL parser takes commas and semicolons as parts of a host, but no machine has such a name. */
const possibleHost = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i;

const beginsWith = (schemes: readonly string[]) => schemes.map((scheme) => `\`${scheme}://\``).join(' or ');

/** An absolute URL of one of the schemes, without a user name, password or fragment, kept as it was written. */
export const url = (...schemes: readonly string[]) =>
  textUnless(`a URL that starts with ${beginsWith(schemes)}`, (value) => {
    const parsed = parseUrl(value, schemes);
    if (typeof parsed === 'string') return parsed;
    if (severalUrls.test(value)) return 'looks like a list of URLs, and only one is accepted';
    if (parsed.username || parsed.password) return 'contains a user name or password';
    return value.includes('#') ? 'contains a fragment (#)' : undefined;
  });

const webUrl = url('http', 'https');

/** A URL before a path: without a query, and without the closing slashes that were written. */
export const baseUrl = webUrl
  .refine((value) => !value.includes('?'), 'contains a query (?)')
  .transform((value) => value.replace(/(?<!\/)\/+$/, ''))
  .meta({ ...formOf(webUrl) });

const webForms =
  'exact origins such as `https://app.example.com` or `http://localhost:5173`, comma-separated';
export const pageOriginForms =
  'exact origins such as `https://app.example.com`, `http://localhost:5173` or, for an application, `capacitor://localhost`, comma-separated';

/**
 * Origins as a browser sends them in `Origin` (RFC 6454 section 6.2): scheme, host, and the port unless it is the scheme's default. A form that
 * no browser sends is refused, because it could never match.
 */
export const exactOrigins = textUnless(webForms, (value) => findFault(value, whyNotWebOrigin))
  .transform(readOrigins)
  .meta({ forms: webForms });

/** Origins of pages, of which some belong to an application (`capacitor://localhost`), or `*` for all. */
export const pageOrigins = textUnless(pageOriginForms, (value) =>
  value === '*' ? undefined : findFault(value, whyNotPageOrigin),
)
  .transform((value): CorsOrigins => (value === '*' ? value : readOrigins(value)))
  .meta({ forms: `${pageOriginForms}, or \`*\` alone` });

function readOrigins(value: string): readonly string[] {
  return [...new Set(value.split(',').map((item) => item.trim()))];
}

type WhyNot = (item: string) => string | undefined;

function findFault(value: string, whyNot: WhyNot): string | undefined {
  return readOrigins(value).map(whyNot).find(Boolean);
}

const notAnOrigin =
  'has an item that is more or less than an origin (a path, a closing slash, capital letters, a default port)';

function whyNotWebOrigin(item: string): string | undefined {
  if (item === '') return 'has an empty item';
  if (item.includes('*')) return 'has a wildcard next to an origin or inside one';
  const parsed = parseUrl(item, ['http', 'https']);
  if (typeof parsed === 'string') return `has an item that ${parsed}`;
  return parsed.origin === item ? undefined : notAnOrigin;
}

/** Excludes the other schemes with an origin of their own (URL standard, 4.7), and a misspelled `http` or `https`, which would match no page. */
const applicationScheme = /^(?!(?:[htps]+|ftp|wss?):)[a-z][a-z0-9+.-]*:\/\//i;
/** The URL standard gives such a URL no origin. The browsers of these applications send its scheme, host and port. */
const applicationOrigin = /^[a-z0-9+.-]+:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[1-9][0-9]*)?$/;

function whyNotPageOrigin(item: string): string | undefined {
  if (item === 'null' || item.toLowerCase().startsWith('file:'))
    return 'has an item that other pages send, too: sandboxed frames of any site send `null`, and every local file sends `null` or `file://`';
  if (!applicationScheme.test(item) || item.includes('*')) return whyNotWebOrigin(item);
  return applicationOrigin.test(item) && URL.canParse(item) ? undefined : notAnOrigin;
}

/** A URL of one of the schemes, or what is wrong with the text. */
function parseUrl(value: string, schemes: readonly string[]): URL | string {
  if (!schemes.some((scheme) => value.toLowerCase().startsWith(`${scheme}://`)))
    return `does not start with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
  // The URL parser drops white space and control characters silently.
  if (/[\s\p{Cc}]/u.test(value) || !URL.canParse(value)) return 'is not a valid URL';
  const parsed = new URL(value);
  if (parsed.hostname === '') return 'names no host';
  const isWeb = parsed.protocol === 'http:' || parsed.protocol === 'https:';
  return isWeb && !possibleHost.test(parsed.hostname)
    ? 'names a host with a character that no host name has'
    : parsed;
}

const postgresSchemes = ['postgres', 'postgresql'];
const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
/** A standby cannot be used, whatever the URL asks for. */
const sessionAttributes = ['read-write', 'primary', 'any'];

/** One server of Postgres or several, of which one takes the writes. */
export const postgresUrl = textUnless(
  `a connection string that starts with ${beginsWith(postgresSchemes)}; it may name several servers, as in ` +
    '`postgres://user:password@db1:5432,db2:5432/latchkey`, and `sslmode=verify-full` with `sslrootcert=/path/of/ca.pem`',
  (value) => {
    const urls = splitHosts(value);
    for (const each of urls.length < 2 ? [value, ...urls] : urls) {
      const parsed = parseUrl(String(each), postgresSchemes);
      if (typeof parsed === 'string') return parsed;
      if (!sslModes.includes(parsed.searchParams.get('sslmode') ?? 'prefer'))
        return `has an sslmode other than ${sslModes.join(', ')}`;
      if (!sessionAttributes.includes(parsed.searchParams.get('target_session_attrs') ?? 'any'))
        return 'asks for a standby (target_session_attrs): Latchkey uses the server that takes writes';
    }
    return undefined;
  },
);

/** One Redis, or Sentinels. */
export const redisUrl = textUnless(
  '`redis://user:password@host:6379/1`, where the number of the database may be left out, or ' +
    '`redis+sentinel://user:password@s1:26379,s2:26379/mymaster`; `rediss` in place of `redis` for TLS',
  (value) => textOf(parseRedisUrl(value)),
);

/** One server of NATS, or the servers of a cluster. */
export const natsUrls = textUnless(
  '`nats://user:password@host:4222`, or `tls://…` for TLS; the servers of a cluster are separated by commas, as in `nats://n1:4222,n2:4222,n3:4222`',
  (value) => textOf(parseNatsUrls(value)),
);

const textOf = (result: unknown) => (typeof result === 'string' ? result : undefined);
