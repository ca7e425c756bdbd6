const authority = /^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)(.*)$/is;

/**
 * A URL with several hosts, such as `postgres://user:password@db1:5432,db2:5432/latchkey`, as one URL for each host.
 *
 * @returns an empty list where one of them is not a URL
 */
export function splitHosts(text: string): URL[] {
  const [, scheme = '', place = '', rest = ''] = authority.exec(text) ?? [];
  const user = place.slice(0, place.lastIndexOf('@') + 1);
  const urls = place
    .slice(user.length)
    .split(',')
    .map((host) => `${scheme}${user}${host}${rest}`);
  return urls.every((url) => URL.canParse(url)) ? urls.map((url) => new URL(url)) : [];
}
