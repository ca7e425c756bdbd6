import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
