/**
 * Finds the keys of this server among the key URIs of a playlist: `PUBLIC_URL/keys/<content>`, `PUBLIC_URL/keys/<content>/<epoch>` and
 * `PUBLIC_URL/keys/<content>/kid/<kid>`. A URI may have http where `PUBLIC_URL` has https, for example in a playlist that was encrypted behind the
 * proxy. A player gets https: a page that was loaded by https loads nothing by http, and the id of a session must not travel in the clear.
 *
 * @param publicUrl `PUBLIC_URL`; without it no key is known as one of this server
 * @returns the URL of the key as players fetch it; null for any other URL
 */
export function createOwnKeys(publicUrl: string | null): (url: URL) => URL | null {
  if (publicUrl === null) return () => null;
  const { protocol, host, pathname: prefix } = new URL(`${publicUrl}/keys/`);
  return (url) => {
    const isSameServer = url.host === host && (url.protocol === protocol || url.protocol === 'http:');
    const isKey = url.pathname.startsWith(prefix) && keyName.test(url.pathname.slice(prefix.length));
    if (!isSameServer || !isKey || url.username !== '') return null;
    if (url.protocol === protocol) return url;
    const secure = new URL(url);
    secure.protocol = protocol;
    return secure;
  };
}

/** An id as `docs/reference/contract.md#conventions` has it, and perhaps an epoch or a key id. */
const keyName = /^[A-Za-z0-9_-]{1,256}(?:\/[0-9]{1,10}|\/kid\/[0-9a-f-]{36})?$/;
