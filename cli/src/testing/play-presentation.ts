import { createDecipheriv } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** One file that a player loads, and what it makes of it. */
export interface PlayedFile {
  readonly path: string;
  readonly keyUrl: string;
  /** 32 hex digits. */
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
 * Plays an encrypted presentation as RFC 8216 has a player do it. It shares no code with what is tested.
 *
 * @param keyOf the octets that the server answers at a key URL
 */
export function playPresentation(playlist: string, keyOf: (url: string) => Uint8Array): PlayedRendition[] {
  const lines = readFileSync(playlist, 'utf8').split('\n');
  if (lines.some((line) => line.startsWith('#EXTINF'))) return [playRendition(playlist, keyOf)];
  const uris = new Set(
    lines.flatMap((line) => {
      if (line !== '' && !line.startsWith('#')) return [line];
      return line.startsWith('#EXT-X-MEDIA:') ? (/URI="([^"]*)"/.exec(line)?.slice(1) ?? []) : [];
    }),
  );
  return [...uris].map((uri) => playRendition(join(dirname(playlist), uri), keyOf));
}

function playRendition(path: string, keyOf: (url: string) => Uint8Array): PlayedRendition {
  const text = readFileSync(path, 'utf8');
  const maps: PlayedFile[] = [];
  const segments: PlayedFile[] = [];
  let key = { keyUrl: '', iv: '' };
  let gap = false;
  const load = (uri: string): PlayedFile => {
    const file = join(dirname(path), uri);
    const decipher = createDecipheriv('aes-128-cbc', keyOf(key.keyUrl), Buffer.from(key.iv, 'hex'));
    return {
      path: file,
      ...key,
      clear: Buffer.concat([decipher.update(readFileSync(file)), decipher.final()]),
    };
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('#EXT-X-KEY:')) {
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
