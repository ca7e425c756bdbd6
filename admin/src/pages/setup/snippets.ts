interface SnippetFacts {
  /** Of the server, without a slash at the end. */
  origin: string;
  contentId: string;
  rawKey: string;
}

/** How much of a key identifies it without opening anything; the server calls it `keyPrefix`. */
const prefixLength = 11;

/** Fetches the content key: 16 octets, as hex. */
export function curlSnippet({ origin, contentId, rawKey }: SnippetFacts): string {
  return [
    `export LATCHKEY_API_KEY=${rawKey}`,
    `curl -fsS ${origin}/keys/${contentId} \\`,
    `  -H "Authorization: Bearer $LATCHKEY_API_KEY" | xxd -p`,
  ].join('\n');
}

/** The same with the key cut short, for the screen. */
export function shownCurlSnippet(facts: SnippetFacts): string {
  return curlSnippet({ ...facts, rawKey: `${facts.rawKey.slice(0, prefixLength)}…` });
}

/** Encrypts a clear presentation; takes LATCHKEY_API_KEY from the environment. With `=`, because an id may begin with a dash. */
export function encryptSnippet({ origin, contentId }: SnippetFacts): string {
  return [
    `npx latchkey encrypt video/master.m3u8 --content-id=${contentId} \\`,
    `  --server=${origin} --out=encrypted --rotate-every=10`,
  ].join('\n');
}

/** Plays it, as the README of the player does. The token goes to the key server, and nowhere else. */
export function playerSnippet({ origin, contentId }: SnippetFacts): string {
  return [
    `import { createPlayer } from '@latchkey/player';`,
    ``,
    `const player = createPlayer({`,
    `  video: document.querySelector('video'),`,
    `  keyServerUrl: '${origin}',`,
    `  keyServerAuth: () => fetch('/viewer-token').then((response) => response.text()),`,
    `});`,
    `await player.load('https://cdn.example.com/encrypted/master.m3u8', { contentId: '${contentId}' });`,
  ].join('\n');
}
