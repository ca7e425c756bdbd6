import { expect, it } from 'vitest';
import { encryptLiveCommands, ffmpegCommands } from './documented-commands.ts';

const names = {
  ffmpeg: '/opt/ffmpeg',
  contentId: 'news',
  serverUrl: 'http://127.0.0.1:4999',
  periodSeconds: 10,
};

it.each(['With ffmpeg, by file', 'With ffmpeg, by URL'] as const)(
  'the commands of docs/live.md %s run with another server, and write the media in the clear beside it',
  (way) => {
    const text = ffmpegCommands(way, names);
    expect(text).toContain('/opt/ffmpeg -nostdin');
    expect(text).toContain('http://127.0.0.1:4999');
    expect(text).toMatch(/-hls_key_info_file \S+ channel\/index\.m3u8 -c:v libx264 .* clear\/live\.m3u8\n$/);
    expect(text).not.toMatch(/localhost|npx/);
  },
);

it.each(['fmp4', 'ts'] as const)(
  'the commands of docs/live.md for encrypt --live run with %s',
  (container) => {
    const { packager, encrypt } = encryptLiveCommands(names, container);
    expect(packager).toMatch(/exec \/opt\/ffmpeg -nostdin .* clear\/live\.m3u8$/);
    expect(packager.includes('-hls_segment_type fmp4')).toBe(container === 'fmp4');
    expect(encrypt).toMatch(
      /^exec "\$NODE" "\$LATCHKEY" encrypt --live clear\/live\.m3u8 --content-id news --out channel/,
    );
    expect(encrypt).toContain('--register --period 10');
    expect(`${packager} ${encrypt}`).not.toMatch(/rtmp|keys\.example|npx|lk_/);
  },
);
