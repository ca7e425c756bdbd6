import { attempt } from './attempt.ts';

/** The lease paths look like the key paths of a content, but are not keys. */
const leaseSegment = 'leases';
const kidSegment = 'kid';

/** A URL or path without slashes at its end. A loop, because older browsers know no expression that does it in proportional time. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}

/**
 * The content of a key URL. Origin and path are compared after parsing, so that neither `https://keys.example.evil/keys/x`
 * nor `https://keys.example@evil/keys/x` counts as the key server.
 *
 * @param keyServerUrl absolute, with or without a path below which the server is mounted
 * @returns undefined for every other URL
 */
export function contentIdOf(url: string, keyServerUrl: string): string | undefined {
  const asked = attempt(() => new URL(url));
  if (!asked) return undefined;
  const { origin, pathname } = new URL(keyServerUrl);
  const base = `${withoutEndSlashes(pathname)}/keys/`;
  if (asked.origin !== origin || !asked.pathname.startsWith(base)) return undefined;
  const [contentId, epoch, kid, ...more] = asked.pathname.slice(base.length).split('/');
  if (!contentId || contentId === leaseSegment || epoch === '' || more.length > 0) return undefined;
  // `/keys/<content>/kid/<kid>`: the key that a packager named.
  if (kid !== undefined && (epoch !== kidSegment || kid === '')) return undefined;
  return contentId;
}

/**
 * The key URL of the next epoch. It may name an epoch that does not exist.
 *
 * @returns undefined for a URL that names no epoch
 */
export function nextKeyUrl(url: string, keyServerUrl: string): string | undefined {
  const next = url.replace(
    /^([^?#]*\/)(\d+)(?=[?#]|$)/,
    (_, before, epoch) => `${before}${Number(epoch) + 1}`,
  );
  // Without an epoch, the number is a content id.
  const contentId = next === url ? undefined : contentIdOf(next, keyServerUrl);
  return contentId !== undefined && contentId === contentIdOf(url, keyServerUrl) ? next : undefined;
}
