/** A segment as a live playlist names it. */
export interface ListedSegment {
  /** Its media sequence number (RFC 8216 section 3). */
  readonly number: number;
  readonly uri: string;
  /** Null in a playlist in the clear. */
  readonly keyUrl: string | null;
  /** 32 hex digits. */
  readonly iv: string | null;
}

interface LivePlaylist {
  readonly segments: readonly ListedSegment[];
}

/**
 * Reads a media playlist as strictly as a player that gives up at the first doubt.
 *
 * @throws Error that says what is wrong
 */
export function readPlaylist(text: string): LivePlaylist {
  if (!text.startsWith('#EXTM3U\n') || !text.endsWith('\n')) throw new Error('it is not whole');
  const first = /^#EXT-X-MEDIA-SEQUENCE:(\d+)$/m.exec(text)?.[1];
  if (first === undefined || !/^#EXT-X-TARGETDURATION:\d+$/m.test(text))
    throw new Error('a header is missing');
  const segments: ListedSegment[] = [];
  let key: Pick<ListedSegment, 'keyUrl' | 'iv'> = { keyUrl: null, iv: null };
  let hasDuration = false;
  for (const line of text.split('\n')) {
    if (line === '#EXT-X-GAP') throw new Error('it has a gap');
    if (line.startsWith('#EXT-X-KEY:')) key = readKey(line);
    if (/^#EXTINF:\d+(\.\d+)?,/.test(line)) hasDuration = true;
    if (line === '' || line.startsWith('#')) continue;
    if (!hasDuration) throw new Error(`${line} has no duration`);
    hasDuration = false;
    segments.push({ number: Number(first) + segments.length, uri: line, ...key });
  }
  if (hasDuration) throw new Error('the last segment has no URI');
  return { segments };
}

function readKey(line: string): Pick<ListedSegment, 'keyUrl' | 'iv'> {
  if (line.includes('METHOD=NONE')) return { keyUrl: null, iv: null };
  const [, keyUrl, iv] = /METHOD=AES-128,URI="([^"]+)",IV=0x([0-9a-f]{32})(,|$)/i.exec(line) ?? [];
  if (!keyUrl || !iv) throw new Error(`it has ${line}`);
  return { keyUrl, iv: iv.toLowerCase() };
}
