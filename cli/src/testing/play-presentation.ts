import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One file that a player loads, with its decrypted content. */
interface PlayedFile {
  readonly path: string;
  /** Empty for a file in the clear. */
  readonly keyUrl: string;
  /** 32 hex digits; empty for a file in the clear. */
  readonly iv: string;
  readonly clear: Buffer;
}

export interface PlayedRendition {
  readonly path: string;
  readonly text: string;
  readonly maps: readonly PlayedFile[];
  readonly segments: readonly PlayedFile[];
}

/**
 * Plays an encrypted presentation by RFC 8216. It shares no code with the code under test.
 *
 * @param keyOf the bytes that the server answers at a key URL
 */
export function playPresentation(playlist: string, keyOf: (url: string) => Uint8Array): PlayedRendition[] {
  const lines = readFileSync(playlist, 'utf8').split('\n');
  if (lines.some((line) => line.startsWith('#EXTINF'))) return [playRendition(playlist, keyOf)];
  const uris = new Set(
    lines.flatMap((line) => {
      if (line !== '' && !line.startsWith('#')) return [line];
      const namesPlaylist = /^#EXT-X-(MEDIA|I-FRAME-STREAM-INF):/.test(line);
      return namesPlaylist ? (/URI="([^"]*)"/.exec(line)?.slice(1) ?? []) : [];
    }),
  );
  return [...uris].map((uri) => playRendition(join(dirname(playlist), uri), keyOf));
}

function playRendition(path: string, keyOf: (url: string) => Uint8Array): PlayedRendition {
  const text = readFileSync(path, 'utf8');
  const maps: PlayedFile[] = [];
  const segments: PlayedFile[] = [];
  const inTheClear = { keyUrl: '', iv: '' };
  let key = inTheClear;
  let gap = false;
  const load = (uri: string): PlayedFile => {
    const file = join(dirname(path), uri);
    if (key.keyUrl === '') return { path: file, ...key, clear: readFileSync(file) };
    const decipher = createDecipheriv('aes-128-cbc', keyOf(key.keyUrl), Buffer.from(key.iv, 'hex'));
    return {
      path: file,
      ...key,
      clear: Buffer.concat([decipher.update(readFileSync(file)), decipher.final()]),
    };
  };
  for (const line of text.split('\n')) {
    if (line === '#EXT-X-KEY:METHOD=NONE') {
      key = inTheClear;
    } else if (line.startsWith('#EXT-X-KEY:')) {
      const [, keyUrl = '', iv = ''] =
        /^#EXT-X-KEY:METHOD=AES-128,URI="([^"]+)",IV=0x([0-9a-f]{32})$/.exec(line) ?? [];
      key = { keyUrl, iv };
    } else if (line.startsWith('#EXT-X-MAP:')) {
      maps.push(load(/URI="([^"]*)"/.exec(line)?.[1] ?? ''));
    } else if (line === '#EXT-X-GAP') {
      gap = true;
    } else if (line !== '' && !line.startsWith('#')) {
      if (!gap) segments.push(load(line));
      gap = false;
    }
  }
  return { path, text, maps, segments };
}
