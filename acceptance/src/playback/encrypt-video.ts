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
  /** Name of its folder below the one that was given. */
  readonly name: string;
  /** Every key URL of its playlists, once, sorted. */
  readonly keyUrls: readonly string[];
}

/**
 * Registers and encrypts with `latchkey encrypt` as a process of its own, with keys of the server.
 *
 * @param folder where the presentation gets a folder
 * @param rotateEvery segments of an epoch; undefined for one key throughout
 * @param keyUrl where players find the server; undefined where they find it as the encryption does
 * @param more further options of the command
 * @throws Error with what the command wrote, where it fails
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
