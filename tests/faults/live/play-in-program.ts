import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnTime } from './own-time.ts';
import type { PlayOptions } from './play-in-page.ts';
import type { Player, ProgramKind, Seen } from './player.ts';
import { type Program, startProgram } from './program.ts';

export interface PlayerPrograms {
  readonly ffmpeg: string;
  readonly mpv: string;
  readonly env: NodeJS.ProcessEnv;
  /** For sockets and what the programs write. */
  readonly folder: string;
  readonly time: OwnTime;
}

/** Starts ffmpeg or mpv with a token as docs/clients.md shows it. Both play in real time and throw the pictures away. */
export async function playInProgram(
  kind: ProgramKind,
  options: PlayOptions,
  programs: PlayerPrograms,
): Promise<Player> {
  const { name, viewerId, contentId, token } = options;
  const progress = createProgress(programs.time);
  const program =
    kind === 'ffmpeg'
      ? startFfmpeg(options, programs, progress)
      : await startMpv(options, programs, progress);
  return {
    ...{ name, kind, viewerId, contentId, token },
    async read() {
      const errors = program.isRunning() ? [] : [`ended: ${program.output().slice(-300)}`];
      return { ...progress.seen(), errors };
    },
    end: () => program.end('SIGKILL'),
  };
}

interface Progress {
  /** The media time of the last picture, in seconds. */
  at(mediaSeconds: number): void;
  interrupt(note: string): void;
  seen(): Omit<Seen, 'errors'>;
}

function createProgress(time: OwnTime): Progress {
  let first = { media: 0, atMs: 0, ranMs: 0 };
  let last: typeof first | undefined;
  let standstillMs = 0;
  const notes: string[] = [];
  const secondsNow = () => (performance.now() - first.atMs) / 1_000;
  return {
    at(media) {
      if (last && media <= last.media) return;
      const now = { media, atMs: performance.now(), ranMs: time.nowMs() };
      if (last) standstillMs = Math.max(standstillMs, now.ranMs - last.ranMs);
      else first = now;
      last = now;
    },
    interrupt(note) {
      if (last) notes.push(`${note} at ${secondsNow().toFixed(1)} s`);
    },
    seen() {
      const none = { mediaSeconds: 0, wallSeconds: 0, standstillMs: 0, interruptions: 0, notes };
      if (!last) return none;
      return {
        mediaSeconds: last.media - first.media,
        wallSeconds: secondsNow(),
        standstillMs: Math.max(standstillMs, time.nowMs() - last.ranMs),
        interruptions: notes.length,
        notes,
      };
    },
  };
}

/** With -re it reads as fast as the media plays, from three segments before the end of the playlist, as a player does. */
function startFfmpeg({ url, token }: PlayOptions, programs: PlayerPrograms, progress: Progress): Program {
  const args = ['-nostdin', '-hide_banner', '-loglevel', 'warning', '-re'];
  const input = ['-headers', `Authorization: Bearer ${token}\r\n`, '-i', url];
  const output = ['-progress', 'pipe:1', '-stats_period', '0.2', '-f', 'null', '-'];
  return startProgram('ffmpeg', [programs.ffmpeg, ...args, ...input, ...output], {
    cwd: programs.folder,
    env: programs.env,
    onOutput(text) {
      for (const [, microseconds] of text.matchAll(/^out_time_us=(\d+)$/gm))
        if (Number(microseconds) > 0) progress.at(Number(microseconds) / 1e6);
    },
  });
}

const socketAttempts = 200;

async function startMpv(
  { name, url, token }: PlayOptions,
  programs: PlayerPrograms,
  progress: Progress,
): Promise<Program> {
  const socket = join(programs.folder, `${name.replace(/\W+/g, '-')}.sock`);
  const output = ['--no-config', '--vo=null', '--ao=null', '--no-terminal', `--input-ipc-server=${socket}`];
  const headers = `--http-header-fields=Authorization: Bearer ${token}`;
  const program = startProgram('mpv', [programs.mpv, ...output, headers, url], {
    cwd: programs.folder,
    env: programs.env,
  });
  for (let attempt = 1; ; attempt++) {
    try {
      await follow(socket, progress);
      return program;
    } catch (error) {
      if (attempt === socketAttempts || !program.isRunning()) throw error;
      await sleep(50);
    }
  }
}

/** Subscribes to the time of mpv's pictures and to its waits for media (mpv(1), "JSON IPC"). */
function follow(path: string, progress: Progress): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path, () => {
      for (const [id, property] of ['time-pos', 'paused-for-cache'].entries())
        socket.write(`${JSON.stringify({ command: ['observe_property', id + 1, property] })}\n`);
      resolve();
    });
    socket.once('error', reject);
    let rest = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const { event, name, data } = JSON.parse(line);
        if (event !== 'property-change') continue;
        if (name === 'time-pos' && typeof data === 'number') progress.at(data);
        if (name === 'paused-for-cache' && data === true) progress.interrupt('paused for the cache');
      }
    });
  });
}
