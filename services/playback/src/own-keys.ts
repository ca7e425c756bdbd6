/**
 * Tells the keys of this server among the key URIs of a playlist: `PUBLIC_URL/keys/<content>`,
 * `PUBLIC_URL/keys/<content>/<epoch>` and `PUBLIC_URL/keys/<content>/kid/<kid>`.
 *
 * @param publicUrl `PUBLIC_URL`; without it no key is known as one of this server
 */
export function createOwnKeys(publicUrl: string | null): (url: URL) => boolean {
  if (publicUrl === null) return () => false;
  const { origin, pathname } = new URL(publicUrl);
  const prefix = `${withoutEndSlashes(pathname)}/keys/`;
  return (url) =>
    url.origin === origin &&
    url.username === '' &&
    url.pathname.startsWith(prefix) &&
    keyName.test(url.pathname.slice(prefix.length));
}

/** An id as `docs/contract.md#conventions` has it, and perhaps an epoch or a key id. */
const keyName = /^[A-Za-z0-9_-]{1,256}(?:\/[0-9]{1,10}|\/kid\/[0-9a-f-]{36})?$/;

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
