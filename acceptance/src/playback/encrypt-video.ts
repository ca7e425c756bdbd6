import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Target } from '../target.ts';
import { unique } from '../tokens.ts';

const commandFile = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));

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
  const rotation = rotateEvery === undefined ? [] : ['--rotate-every', String(rotateEvery)];
  const players = keyUrl === undefined ? [] : ['--key-url', keyUrl];
  const args = [
    'encrypt',
    playlist,
    '--content-id',
    contentId,
    '--out',
    join(folder, contentId),
    ...rotation,
    ...players,
    ...more,
  ];
  await promisify(execFile)(process.execPath, [commandFile, ...args, '--server', url, '--register'], {
    env: { PATH: process.env.PATH, HOME: folder, LATCHKEY_API_KEY: adminApiKey },
  });
  return { contentId, name: contentId, keyUrls: findKeyUrls(join(folder, contentId)) };
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
