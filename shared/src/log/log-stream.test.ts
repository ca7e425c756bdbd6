import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeTestFolder } from '../testing/test-folder.ts';

const lines = 600;

/** Writes lines of many lengths, more than a pipe holds, says so, and ends once they are gone. */
const program = `
  import { createRequestLog } from ${JSON.stringify(new URL('./request-log.ts', import.meta.url).href)};
  const log = createRequestLog('info', 1);
  for (let n = 0; n < ${lines}; n++)
    log.write({ requestId: String(n), path: '/'.padEnd(n % 50 === 0 ? 16_000 : (n * 7) % 1_500, 'ü"'), status: 200 });
  process.stderr.write('written');
  await log.flush();
  process.exit(0);`;

test.each([
  ['a pipe', '| cat'],
  ['a socket', ''],
])('every line to %s is whole and in its turn, where its reader is slow', async (_, target) => {
  const shell = spawn('sh', ['-c', `"$NODE" --input-type=module -e "$PROGRAM" ${target}`], {
    env: { PATH: process.env.PATH, NODE: process.execPath, PROGRAM: program },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Until here nobody reads, so writes wait.
  await once(shell.stderr, 'data');
  const written = (await text(shell.stdout)).trimEnd().split('\n');
  const ids = written.map((line) => (JSON.parse(line) as { requestId: string }).requestId);
  expect(ids).toEqual(Array.from({ length: lines }, (_, n) => String(n)));
});

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

/** Writes 40 MiB while nobody reads, says so, and then waits until all that it kept is taken. */
const floodProgram = `
  import { openLogStream } from ${JSON.stringify(new URL('./log-stream.ts', import.meta.url).href)};
  const log = openLogStream(1);
  for (let n = 0; n < 40 * 1024; n++) log.write(''.padEnd(1023, 'a') + '\\n');
  process.stderr.write('written');
  await log.end();
  process.exit(0);`;

test('of the lines that a reader does not take, 32 MiB are kept for it and the others are dropped', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', floodProgram], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await once(child.stderr, 'data');
  const taken = (await text(child.stdout)).length / 1024 / 1024;
  expect(Math.round(taken)).toBe(32);
});

/** Fails while its lines are still gathered. */
const crashProgram = `
  import { openLogStream } from ${JSON.stringify(new URL('./log-stream.ts', import.meta.url).href)};
  const log = openLogStream(1);
  for (let n = 0; n < 100; n++) log.write('a line of some length for the reader\\n');
  throw new Error('crash');`;

test.each([
  ['a file', '> "$FILE"'],
  ['a pipe', '| cat > "$FILE"'],
])('the last lines to %s are written when the process crashes', async (_, target) => {
  const file = join(makeTestFolder(), 'log');
  const shell = spawn('sh', ['-c', `"$NODE" --input-type=module -e "$PROGRAM" ${target}`], {
    env: { PATH: process.env.PATH, NODE: process.execPath, PROGRAM: crashProgram, FILE: file },
    stdio: 'ignore',
  });
  await once(shell, 'close');
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(100);
});
