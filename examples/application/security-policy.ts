import { createHash } from 'node:crypto';

/** The only inline scripts that a page may have. They are JSON without a `<`. */
const importMap = /<script type="importmap">([^<]*)<\/script>/g;

/**
 * The Content-Security-Policy of the pages. They load nothing from elsewhere, and connect only to the application, the key server
 * and the bucket.
 *
 * @param pages the HTML of each page; its import maps are allowed by their hashes, as no other inline script is
 * @param connectTo origins
 */
export function securityPolicy(pages: readonly string[], connectTo: readonly string[]): string {
  const maps = pages.flatMap((html) => [...html.matchAll(importMap)].map(([, text = '']) => text));
  const hashes = maps.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [
    "default-src 'none'",
    ["script-src 'self'", ...hashes].join(' '),
    "style-src 'self'",
    "img-src 'self' data:",
    // Media Source Extensions use blob: URLs.
    "media-src 'self' blob:",
    ["connect-src 'self'", ...connectTo].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
