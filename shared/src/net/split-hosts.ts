const schemeOf = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * A URL with several hosts, such as `postgres://user:password@db1:5432,db2:5432/latchkey`, as one URL for each host.
 *
 * @returns an empty list where one of them is not a URL
 */
export function splitHosts(text: string): URL[] {
  const scheme = schemeOf.exec(text)?.[0] ?? '';
  const rest = text.slice(scheme.length);
  const [authority = ''] = rest.split(/[/?#]/, 1);
  const user = authority.slice(0, authority.lastIndexOf('@') + 1);
  const urls = authority
    .slice(user.length)
    .split(',')
    .map((host) => `${scheme}${user}${host}${rest.slice(authority.length)}`);
  return urls.every((url) => URL.canParse(url)) ? urls.map((url) => new URL(url)) : [];
}
