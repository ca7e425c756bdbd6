/**
 * The servers of a cluster of NATS, and as whom this process connects.
 *
 * Reads `nats://user:password@n1:4222,n2:4222`, in which each item may also be a whole URL. `tls://` is TLS. All servers of a cluster know the
 * same users, so one user is enough for all of them.
 *
 * @returns what is wrong with another text, in the form that completes "which …"
 */
export function parseNatsUrls(text: string) {
  const items = text.split(',').map((item) => item.trim());
  const scheme = /^(nats|tls):\/\//i.exec(items[0] ?? '')?.[0];
  if (!scheme) return 'does not start with nats:// or tls://';
  const written = items.map((item) => (/^[a-z]+:\/\//i.test(item) ? item : `${scheme}${item}`));
  if (items.includes('')) return 'has an empty item';
  const isValid = (item: string) =>
    /^(nats|tls):\/\/[^/]/i.test(item) &&
    !/[\s\p{Cc}]/u.test(item) &&
    URL.canParse(item) &&
    !/[;|]/.test(new URL(item).host);
  if (!written.every(isValid)) return 'is not a list of valid URLs that start with nats:// or tls://';
  const urls = written.map((item) => new URL(item));
  const users = new Set(
    urls.flatMap(({ username, password }) => (username ? [`${username}:${password}`] : [])),
  );
  if (users.size > 1) return 'names several users, and a cluster has the same ones on each server';
  const { username = '', password = '' } = urls.find((url) => url.username) ?? {};
  return {
    /** `host:port` of each. */
    servers: urls.map(({ host }) => host),
    isTls: urls.some(({ protocol }) => protocol === 'tls:'),
    /** Empty if the URL has none. A user without a password is a token. */
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  };
}
