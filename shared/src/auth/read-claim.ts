/**
 * Finds a claim in the claims of a token. Only own members of parsed JSON are found, so no path reaches what objects inherit.
 *
 * @param path a literal name or, beginning with `/`, a JSON Pointer (RFC 6901)
 * @returns undefined where the token has no such claim
 */
export function readClaim(claims: object, path: string): unknown {
  if (!path.startsWith('/')) return memberOf(claims, path);
  let value: unknown = claims;
  for (const part of path.slice(1).split('/')) {
    // In this order, so that `~01` is `~1` (section 4).
    value = memberOf(value, part.replaceAll('~1', '/').replaceAll('~0', '~'));
  }
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // A list has `length` of its own, too.
  if (Array.isArray(value) && !/^[0-9]+$/.test(name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
