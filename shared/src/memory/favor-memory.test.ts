import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('favor-memory.ts', import.meta.url));

async function readHeapLimit(...flags: string[]): Promise<number> {
  const print = 'require("node:v8").getHeapStatistics().heap_size_limit';
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--max-old-space-size=256',
    ...flags,
    '-p',
    print,
  ]);
  return Number(stdout);
}

// The flag itself on the command line gives V8 the smallest young generation, and key requests take 12 % more time.
test("favoring memory leaves V8's young generation as large as the command line makes it", async () => {
  const smallest = await readHeapLimit('--optimize-for-size', '--max-semi-space-size=4');
  const limit = await readHeapLimit(`--import=${program}`, '--max-semi-space-size=4');
  expect(limit).toBe(await readHeapLimit('--max-semi-space-size=4'));
  expect(limit).toBeGreaterThan(smallest);
});
