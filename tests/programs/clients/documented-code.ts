import { findBlock, readBlocks, readDocument } from '@latchkey/support/documents/read-blocks';
import type { Screening } from './client-setup.ts';

const blocks = readBlocks(readDocument('docs/start/players.md'));

interface Shown {
  /** The program's path. */
  readonly program: string;
  readonly film: Pick<Screening, 'url' | 'token'>;
  /** Arguments that write the pictures to a file instead of a screen. */
  readonly end: string;
}

/** The command of `docs/start/players.md` for a program, with this film and token. */
export function showCommand(name: 'ffmpeg' | 'mpv', { program, film, end }: Shown): string {
  const line = findBlock(blocks, 'sh', 'ffmpeg -headers')
    .split('\n')
    .find((text) => text.startsWith(`${name} `));
  if (!line) throw new Error(`docs/start/players.md has no command of ${name}`);
  const adapted = line
    .replace(name, program)
    .replace('https://cdn.example.com/film/master.m3u8', film.url)
    .replace(/ …$/, '');
  return `TOKEN=${film.token}\n${adapted} ${end}`;
}

/** The code in a page around the code of the document: it makes a player, and gives it the film. */
const around = {
  'hls.js': {
    before: "const { default: Hls } = await import('/hls.mjs');",
    after: 'hls.loadSource(url); hls.attachMedia(video);',
  },
  'Shaka Player': {
    before: 'const player = new shaka.Player(); await player.attach(video);',
    after: 'await player.load(url);',
  },
  'video.js': { before: '', after: "player.src({ src: url, type: 'application/vnd.apple.mpegurl' });" },
};

/** The code of `docs/start/players.md` for a player, as a script that plays this film fast. */
export function showCode(player: keyof typeof around, { url, token, keyUrls }: Screening): string {
  const code = findBlock(blocks, 'js', '// hls.js');
  const own = code.split(/^\/\/ (?=[\w. ]+$)/m).find((text) => text.startsWith(`${player}\n`));
  const isKey = /^const isKey = .*$/m.exec(code)?.[0];
  if (!own || !isKey) throw new Error(`docs/start/players.md has no code of ${player}`);
  const { before, after } = around[player];
  const adapted = own
    .slice(player.length)
    .replace(isKey, '')
    .replace(/^new Hls/m, 'const hls = new Hls');
  return `(async () => {
    const [url, token, keyServer] = ${JSON.stringify([url, token, new URL(keyUrls[0] ?? '').origin])};
    const video = document.querySelector('video');
    video.defaultPlaybackRate = 8;
    video.playbackRate = 8;
    ${isKey}
    ${before}
    ${adapted}
    ${after}
    document.querySelector('video').play().catch(() => {});
  })()`;
}
