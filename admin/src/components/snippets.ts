/** The limit of the server: 2^32 - 1. */
const maxEpoch = 4_294_967_295;

/** @returns null for an empty text; undefined for an invalid epoch */
export function readEpoch(text: string): number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  if (!/^(0|[1-9][0-9]{0,9})$/.test(written)) return undefined;
  return Number(written) <= maxEpoch ? Number(written) : undefined;
}

/**
 * The URL of a key.
 *
 * @param endpoint from the server: absolute, or a path
 * @param serverUrl the base of such a path
 * @param epoch null for the key without epochs
 */
export function keyUrlOf(endpoint: string, serverUrl: string, epoch: number | null): string {
  return `${new URL(endpoint, serverUrl).href}${epoch === null ? '' : `/${epoch}`}`;
}

/** A playlist tag (RFC 8216 section 4.3.2.4). Without an IV, the segment number is the IV (section 5.2). */
export function keyTagOf(keyUrl: string): string {
  return `#EXT-X-KEY:METHOD=AES-128,URI="${keyUrl}"`;
}

interface SnippetFacts {
  /** Without a closing slash. */
  serverUrl: string;
  contentId: string;
  rawKey: string;
}

/** Length of the prefix that identifies a key without giving access, like the server's `keyPrefix`. */
const prefixLength = 11;

/** Fetches the content key: 16 bytes, as hex. POSIX has `od`, while `xxd` is often not installed. */
export function curlSnippet({ serverUrl, contentId, rawKey }: SnippetFacts): string {
  return [
    `export LATCHKEY_API_KEY=${rawKey}`,
    `curl -fsS ${serverUrl}/keys/${contentId} \\`,
    `  -H "Authorization: Bearer $LATCHKEY_API_KEY" | od -An -tx1`,
  ].join('\n');
}

/** The same with a shortened key, for the screen. */
export function shownCurlSnippet(facts: SnippetFacts): string {
  return curlSnippet({ ...facts, rawKey: `${facts.rawKey.slice(0, prefixLength)}…` });
}

/**
 * Encrypts with LATCHKEY_API_KEY from the environment. It uses `=`, because an ID can start with a dash.
 *
 * @param isLive whether it is a channel that a packager writes, whose key periods are stated already; otherwise a clear presentation
 */
export function encryptSnippet(
  { serverUrl, contentId }: Omit<SnippetFacts, 'rawKey'>,
  isLive = false,
): string {
  return [
    `npx latchkey encrypt ${isLive ? '--live live' : 'video'}/master.m3u8`,
    `--content-id=${contentId}`,
    `--out=encrypted/${contentId}`,
    `--server=${serverUrl}`,
    // States the key periods of the content: a viewer could fetch the keys of all epochs at once otherwise.
    ...(isLive ? [] : ['--register --rotate-every=10']),
  ].join(' \\\n  ');
}

/** Plays the content, like the README of the player. The token is sent to the key server only. */
export function playerSnippet({ serverUrl, contentId }: SnippetFacts): string {
  return [
    `import { createPlayer } from '@latchkey/player';`,
    ``,
    `const player = createPlayer({`,
    `  video: document.querySelector('video'),`,
    `  keyServerUrl: '${serverUrl}',`,
    `  keyServerAuth: () => fetch('/viewer-token').then((response) => response.text()),`,
    `});`,
    `await player.load('https://cdn.example.com/encrypted/master.m3u8', { contentId: '${contentId}' });`,
  ].join('\n');
}
