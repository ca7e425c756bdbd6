/** RFC 8216 section 4 and 3.x for playlists and segments; the IANA registry for the rest. */
const typeOfExtension: Readonly<Record<string, string>> = {
  m3u8: 'application/vnd.apple.mpegurl',
  m3u: 'application/vnd.apple.mpegurl',
  ts: 'video/mp2t',
  m4s: 'video/mp4',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  cmfv: 'video/mp4',
  m4a: 'audio/mp4',
  cmfa: 'audio/mp4',
  aac: 'audio/aac',
  mp3: 'audio/mpeg',
  ac3: 'audio/ac3',
  ec3: 'audio/eac3',
  vtt: 'text/vtt',
  webvtt: 'text/vtt',
  mpd: 'application/dash+xml',
  json: 'application/json',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
};

/** Of an encoder's key files (`ffmpeg -hls_key_info_file`), which must never reach a bucket. */
const contentKeyExtensions = new Set(['key', 'keyinfo']);

/** @returns undefined for an unknown extension */
export function contentTypeOf(path: string): string | undefined {
  return typeOfExtension[extensionOf(path)];
}

export function isPlaylist(path: string): boolean {
  return ['m3u8', 'm3u'].includes(extensionOf(path));
}

/** Whether a file lists others, and may list further ones later: a playlist of HLS, a manifest of DASH. */
export function isManifest(path: string): boolean {
  return isPlaylist(path) || extensionOf(path) === 'mpd';
}

export function isContentKey(path: string): boolean {
  return contentKeyExtensions.has(extensionOf(path));
}

function extensionOf(path: string): string {
  return /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
}
