import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';

/** What replaces the names in a command of docs/live.md. */
export interface Names {
  readonly ffmpeg: string;
  readonly contentId: string;
  readonly serverUrl: string;
  readonly periodSeconds: number;
}

/** The ways of docs/live.md, by their headings. */
export type Way = 'With ffmpeg, by file' | 'With ffmpeg, by URL' | 'With latchkey encrypt --live';

/** Small pictures, because the encoder is not what is tested. */
const size = '320x180';
const source =
  `-re -f lavfi -i testsrc2=size=${size}:rate=25 -f lavfi -i sine=frequency=440 ` +
  '-c:v libx264 -preset veryfast -pix_fmt yuv420p -g 50 -sc_threshold 0 -c:a aac';

/**
 * The commands for ffmpeg that encrypts, as docs/live.md shows them, with a second output that the first one does not notice: the same
 * media in the clear in the folder `clear`.
 */
export function ffmpegCommands(way: Exclude<Way, 'With latchkey encrypt --live'>, names: Names): string {
  const text = adapt(
    findBlock(readBlocks(readDocument('docs/live.md'), way), 'sh', 'mkdir -p channel'),
    names,
  );
  const encoder = /-c:v .*?-c:a aac/.exec(text)?.[0];
  if (!encoder) throw new Error(`docs/live.md has no encoder below "${way}"`);
  const clear = `${encoder} -f hls -hls_time 2 -hls_list_size 10 -hls_flags delete_segments+program_date_time clear/live.m3u8`;
  return `mkdir -p clear\n${text.trim()} ${clear}\n`;
}

/** The packager, and `latchkey encrypt --live` that follows it. */
export function encryptLiveCommands(
  names: Names,
  container: 'fmp4' | 'ts',
): { packager: string; encrypt: string } {
  const block = findBlock(
    readBlocks(readDocument('docs/live.md'), 'With latchkey encrypt --live'),
    'sh',
    'encrypt --live',
  );
  const [packager = '', encrypt = ''] = block.replaceAll('\\\n', ' ').split(/\n\n/);
  const asTs = (text: string) => (container === 'ts' ? text.replace('-hls_segment_type fmp4', '') : text);
  return {
    packager: `mkdir -p clear\nexec ${adapt(asTs(packager), names)
      .replace('-i rtmp://… -c copy', `-nostdin -loglevel error ${source}`)
      .trim()}`,
    // The key stands in the environment already.
    encrypt: adapt(encrypt.replace('LATCHKEY_API_KEY=lk_… npx', 'exec npx'), names)
      .replace('public/channel', 'channel')
      .trim(),
  };
}

function adapt(text: string, { ffmpeg, contentId, serverUrl, periodSeconds }: Names): string {
  return text
    .replaceAll('npx latchkey', '"$NODE" "$LATCHKEY"')
    .replace(/^ffmpeg /gm, `${ffmpeg} `)
    .replaceAll(/http:\/\/localhost:4100|https:\/\/keys\.example\.com/g, serverUrl)
    .replaceAll('--content-id channel', `--content-id ${contentId}`)
    .replaceAll('/content/channel/', `/content/${contentId}/`)
    .replace('--period 60', `--period ${periodSeconds}`)
    .replace('size=640x360', `size=${size}`);
}
