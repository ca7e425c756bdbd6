import { hidden, redact, unescapeAll } from './redact.ts';

/** The end of a path: a query, a fragment (which is refused), or path parameters (RFC 3986 section 3.3). */
const endOfPath = /[?#;]/;
/** `user:password@` in the absolute form of a target (RFC 9112 section 3.2.2). */
const userInfo = /^(https?:\/\/)[^/?#]*@/i;
/** A name that may be shown. A token in the place of a name is longer. */
const plainName = /^[A-Za-z0-9_.-]{1,32}$/;

/**
 * A request target that is safe to log: without raw keys and tokens, and without the text after the first `?`, `#` or
 * `;`, percent-encoded or not. The names of a query stay, because they help and hide nothing: `/keys/a?access_token=***`.
 */
export function redactPath(target: string): string {
  const url = target.replace(userInfo, `$1${hidden}@`);
  const end = url.search(endOfPath);
  const path = end === -1 ? url : url.slice(0, end);
  const decoded = path.includes('%') ? unescapeAll(path) : path;
  if (decoded === null) return hidden;
  const earlier = decoded.search(endOfPath);
  if (earlier !== -1) return `${redact(decoded.slice(0, earlier + 1))}${hidden}`;
  const shown = redact(path);
  if (end === -1) return shown;
  return url[end] === '?' ? `${shown}?${namesOf(url.slice(end + 1))}` : `${shown}${url[end]}${hidden}`;
}

function namesOf(query: string): string {
  return query
    .split('&')
    .map((pair) => {
      const [name = ''] = pair.split('=', 1);
      return plainName.test(name) && redact(name) === name ? `${name}=${hidden}` : hidden;
    })
    .join('&');
}
