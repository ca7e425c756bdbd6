import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryFolder } from '@latchkey/support/repository';
import { createCleanup } from '../cleanup.ts';
import { inTurn } from '../in-turn.ts';
import { type CommandUsage, runMeasured } from './run-measured.ts';

const mib = 1024 * 1024;
/** A second of video of 4 Mbit/s, and eight seconds of it. */
const segmentSizes = [mib / 2, 4 * mib];
const programs = ['openssl enc', 'latchkey encrypt'] as const;

export interface EncryptionSample extends CommandUsage {
  program: (typeof programs)[number];
  segmentBytes: number;
}

/** Encrypts the same segments with both programs, in turn. openssl is started once for each segment, as in a script. */
export async function measureEncryption({
  rounds,
  mebibytes,
  say,
}: {
  rounds: number;
  /** Of each presentation. */
  mebibytes: number;
  say: (line: string) => void;
}): Promise<EncryptionSample[]> {
  const samples: EncryptionSample[] = [];
  const cleanup = createCleanup();
  try {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'));
    cleanup.add({ stop: () => rmSync(folder, { recursive: true }) });
    for (const segmentBytes of segmentSizes) {
      const source = join(folder, String(segmentBytes));
      const count = Math.ceil((mebibytes * mib) / segmentBytes);
      makePresentation(source, count, segmentBytes);
      const out = join(folder, 'out');
      // `npx latchkey` keeps compiled code between runs, too.
      await runLatchkey(source, out, folder);
      rmSync(out, { recursive: true });
      for (let round = 0; round < rounds; round++) {
        for (const program of inTurn(programs, round)) {
          say(`${count} segments of ${segmentBytes / mib} MiB, round ${round + 1} of ${rounds}: ${program}`);
          const usage = await (program === 'openssl enc'
            ? runOpenssl(source, out, count)
            : runLatchkey(source, out, folder));
          samples.push({ program, segmentBytes, ...usage });
          rmSync(out, { recursive: true });
        }
      }
      rmSync(source, { recursive: true });
    }
  } finally {
    await cleanup.run();
  }
  return samples;
}

function makePresentation(folder: string, count: number, bytes: number): void {
  mkdirSync(folder);
  const segment = Buffer.alloc(bytes, 0x47);
  const names = Array.from({ length: count }, (_, n) => `${n}.ts`);
  for (const name of names) {
    const file = openSync(join(folder, name), 'w');
    writeSync(file, segment);
    closeSync(file);
  }
  const lines = ['#EXTM3U', '#EXT-X-TARGETDURATION:8', ...names.flatMap((name) => ['#EXTINF:8,', name])];
  writeFileSync(join(folder, 'film.m3u8'), [...lines, '#EXT-X-ENDLIST', ''].join('\n'));
}

function runLatchkey(source: string, out: string, folder: string): Promise<CommandUsage> {
  const playlist = join(source, 'film.m3u8');
  const args = ['encrypt', playlist, '--content-id', 'film', '--out', out, '--keys-from', 'env', '--quiet'];
  const env = {
    MASTER_KEY_HEX: '1'.repeat(64),
    SALT_HEX: '2'.repeat(64),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  return runMeasured([process.execPath, join(repositoryFolder, 'cli/src/main.ts'), ...args], env);
}

function runOpenssl(source: string, out: string, count: number): Promise<CommandUsage> {
  mkdirSync(out);
  const script = `for ((n = 0; n < ${count}; n++)); do
    openssl enc -aes-128-cbc -K ${'1'.repeat(32)} -iv ${'2'.repeat(32)} -in "$0/$n.ts" -out "$1/$n.ts" || exit 1
  done`;
  return runMeasured(['bash', '-c', script, source, out], {});
}
