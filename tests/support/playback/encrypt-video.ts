import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from '../black-box/target.ts';
import { unique } from '../black-box/unique.ts';
import { runCli } from '../processes/run-cli.ts';

/** An encrypted presentation on disk. */
export interface EncryptedVideo {
  readonly contentId: string;
  /** Name of its folder, below the given one. */
  readonly name: string;
  /** The distinct key URLs of its playlists, sorted. */
  readonly keyUrls: readonly string[];
}

/**
 * Registers and encrypts a video by running `latchkey encrypt`, with keys of the server.
 *
 * @param folder the presentation gets a folder in it
 * @param rotateEvery segments of an epoch; undefined for a single key
 * @param keyUrl URL of the server for players; undefined if it is the one that the encryption uses
 * @param more further options of the command
 * @throws Error with what the command wrote, if it fails
 */
export async function encryptVideo(
  { url, adminApiKey }: Target,
  playlist: string,
  folder: string,
  rotateEvery?: number,
  keyUrl?: string,
  more: readonly string[] = [],
): Promise<EncryptedVideo> {
  const contentId = unique('film');
  const out = join(folder, contentId);
  const rotation = rotateEvery === undefined ? [] : ['--rotate-every', String(rotateEvery)];
  const players = keyUrl === undefined ? [] : ['--key-url', keyUrl];
  const command = [
    'encrypt',
    playlist,
    '--content-id',
    contentId,
    '--out',
    out,
    '--server',
    url,
    '--register',
  ];
  await runCli([...command, ...rotation, ...players, ...more], { LATCHKEY_API_KEY: adminApiKey });
  return { contentId, name: contentId, keyUrls: findKeyUrls(out) };
}

function findKeyUrls(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const playlists = names.filter((name) => name.endsWith('.m3u8'));
  const urls = playlists.flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8');
    return [...text.matchAll(/^#EXT-X-(?:SESSION-)?KEY:.*URI="([^"]+)"/gm)].map(([, url]) => url ?? '');
  });
  return [...new Set(urls)].sort();
}
