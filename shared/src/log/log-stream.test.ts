import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../testing/test-folder.ts';
import { canShareLog } from './log-stream.ts';

const processes = 2;
const linesOfEach = 600;
const longLineEvery = 50;

/** Writes lines of many lengths, more than a pipe holds, says so, and ends once they are gone. */
const program = `
  import { createRequestLog } from ${JSON.stringify(new URL('./request-log.ts', import.meta.url).href)};
  const log = createRequestLog('info', 3, { processes: ${processes}, identity: { service: 's'.repeat(20), version: '10.10.10-rc.10', instance: 'i'.repeat(71) } });
  for (let n = 0; n < ${linesOfEach}; n++)
    log.write({
      requestId: process.argv[1] + '-' + n,
      method: 'GET',
      path: '/'.padEnd(n % ${longLineEvery} === 0 ? 16_000 : (n * 7) % 1_500, 'ü"'),
      route: '/keys/:contentId',
      status: 200,
      durationMs: 1.5,
      clientIp: '203.0.113.7',
      userAgent: n % ${longLineEvery} === 1 ? 'a'.repeat(16_000) : null,
      principal: { kind: 'viewer', id: '"'.repeat(n % ${longLineEvery} < 2 ? 1_024 : 3) },
      code: null,
    });
  process.stderr.write('written ');
  await log.flush();
  process.exit(0);`;

/** @param target where the shell sends what the processes write */
async function writeTogether(target: string, folder: string): Promise<string> {
  // Descriptor 3, as that of a worker: Node changes the settings of 0 to 2 at its end, for other processes too.
  const one = '"$NODE" --input-type=module -e "$PROGRAM"';
  const all = Array.from({ length: processes }, (_, n) => `${one} ${n} 3>&1 1>/dev/null &`).join(' ');
  const shell = spawn('sh', ['-c', `( ${all} wait ) ${target}`], {
    env: { PATH: process.env.PATH, NODE: process.execPath, PROGRAM: program, FOLDER: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for await (const chunk of shell.stderr) {
    said += chunk;
    // Until here nobody reads, so writes wait.
    if (said === 'written '.repeat(processes)) break;
  }
  return text(shell.stdout);
}

test.runIf(process.platform === 'linux').each([
  ['a pipe', '| cat'],
  ['a socket', ''],
  ['a file', '> "$FOLDER/log"'],
])(
  'processes that share %s as their log write every line whole, where its reader is slow too',
  async (kind, target) => {
    const folder = makeTestFolder();
    const written = await writeTogether(target, folder);
    const lines = (kind === 'a file' ? readFileSync(join(folder, 'log'), 'utf8') : written).split('\n');
    expect(lines.pop()).toBe('');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThan(4_096);
    const ids = new Set(lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId));
    expect(ids.size).toBe(processes * linesOfEach);
    expect(lines).toHaveLength(processes * linesOfEach);
  },
);

/** Writes lines without ever leaving its turn of the event loop, until its reader has a MiB of them, more than a pipe holds. */
const busyProgram = `
  import { existsSync } from 'node:fs';
  import { openLogStream } from ${JSON.stringify(new URL('./log-stream.ts', import.meta.url).href)};
  const log = openLogStream(1);
  const end = performance.now() + 20_000;
  while (!existsSync(process.env.DONE) && performance.now() < end)
    for (let n = 0; n < 100; n++) log.write('a line of some length for the reader\\n');
  process.stderr.write(existsSync(process.env.DONE) ? 'read' : 'not read');
  process.exit(0);`;

test('a reader that reads gets the lines while the event loop has no turn of its own for them', async () => {
  const folder = makeTestFolder();
  const reader = '{ head -c 1048576 > /dev/null; touch "$DONE"; cat > /dev/null; }';
  const shell = spawn('sh', ['-c', `"$NODE" --input-type=module -e "$PROGRAM" | ${reader}`], {
    env: {
      PATH: process.env.PATH,
      NODE: process.execPath,
      PROGRAM: busyProgram,
      DONE: join(folder, 'done'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  expect(await text(shell.stderr)).toBe('read');
}, 30_000);

test('a log is shared on Linux only', () => {
  expect(canShareLog({ fd: 1 }, 'darwin')).toBe(false);
});
