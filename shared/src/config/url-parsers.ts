import type { Parser } from './parsers.ts';

/** Every origin (`*`), or exactly the ones listed. */
export type CorsOrigins = '*' | readonly string[];

/** A second URL in one value. The comma alone is not a sign of it: paths may have commas. */
const severalUrls = /[,;|]\s*[a-z][a-z0-9+.-]*:\/\//i;
/** The URL parser takes commas and semicolons as parts of a host, but no machine has such a name. */
const possibleHost = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i;

/**
 * An absolute URL without a user name, password or fragment, kept as it was written.
 *
 * @param schemes such as `http` and `https`
 */
export function url(...schemes: readonly string[]): Parser<string> {
  return {
    forms: `a URL that starts with ${schemes.map((scheme) => `\`${scheme}://\``).join(' or ')}`,
    parse(value) {
      const parsed = parseUrl(value, schemes);
      if (typeof parsed === 'string') return { wrong: parsed };
      if (severalUrls.test(value)) return { wrong: 'looks like a list of URLs, and only one is accepted' };
      if (parsed.username || parsed.password) return { wrong: 'contains a user name or password' };
      if (value.includes('#')) return { wrong: 'contains a fragment (#)' };
      return { value };
    },
  };
}

/** Same as `url`, but a user name and password are allowed, as in `postgres://user:password@host/database`. */
export function connectionString(...schemes: readonly string[]): Parser<string> {
  return {
    forms: `a connection string that starts with ${schemes.map((scheme) => `\`${scheme}://\``).join(' or ')}`,
    parse(value) {
      const parsed = parseUrl(value, schemes);
      return typeof parsed === 'string' ? { wrong: parsed } : { value };
    },
  };
}

/**
 * Origins as a browser sends them in `Origin` (RFC 6454 section 6.2): scheme, host, and the port unless it is the
 * scheme's default. A form that no browser sends is refused, because it could never match.
 */
export const origins: Parser<CorsOrigins> = {
  forms:
    'exact origins such as `https://app.example.com` or `http://localhost:5173`, comma-separated, or `*` alone',
  parse(value) {
    if (value === '*') return { value: '*' };
    const found = value.split(',').map((item) => item.trim());
    for (const item of found) {
      const wrong = whyNoOrigin(item);
      if (wrong) return { wrong };
    }
    return { value: [...new Set(found)] };
  },
};

/** Same as `origins`, without `*`. */
export const exactOrigins: Parser<readonly string[]> = {
  forms: origins.forms.replace(', or `*` alone', ''),
  parse(value) {
    const parsed = origins.parse(value);
    if ('wrong' in parsed) return parsed;
    return parsed.value === '*' ? { wrong: 'is a wildcard' } : { value: parsed.value };
  },
};

function whyNoOrigin(item: string): string | undefined {
  if (item === '') return 'has an empty item';
  if (item.includes('*')) return 'has a wildcard beside or inside an origin';
  const parsed = parseUrl(item, ['http', 'https']);
  if (typeof parsed === 'string') return `has an item that ${parsed}`;
  if (parsed.origin === item) return undefined;
  return 'has an item that is more or less than an origin (a path, a closing slash, capital letters, a default port)';
}

/** A URL of one of the schemes, or what is wrong with the text. */
function parseUrl(value: string, schemes: readonly string[]): URL | string {
  const scheme = schemes.find((candidate) => value.toLowerCase().startsWith(`${candidate}://`));
  if (scheme === undefined) return `does not start with ${schemes.map((s) => `${s}://`).join(' or ')}`;
  // The URL parser drops white space and control characters silently.
  if (/[\s\p{Cc}]/u.test(value) || !URL.canParse(value)) return 'is not a valid URL';
  const parsed = new URL(value);
  if (parsed.hostname === '') return 'names no host';
  const isWeb = parsed.protocol === 'http:' || parsed.protocol === 'https:';
  return isWeb && !possibleHost.test(parsed.hostname)
    ? 'names a host with a character that no host name has'
    : parsed;
}
