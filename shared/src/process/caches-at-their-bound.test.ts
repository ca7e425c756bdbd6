import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('fill-caches.fixture.ts', import.meta.url));
const caches = ['apiKeys', 'contents', 'importedKeys', 'leases', 'marks', 'tokens'] as const;
const timeLimitMs = 120_000;
/** Other bytes that a measurement of V8's heap finds: code that was compiled meanwhile, tables that have room to grow. */
const elsewhereBytes = 500_000;

/** V8 neither compiles in threads of its own nor discards code between two measurements, which would count it. */
const steadyCode = ['--single-threaded', '--no-flush-bytecode'];

interface Found {
  bytes: number;
  caches: Record<
    (typeof caches)[number],
    { entered: number; kept: number; bytes: number; heapBytes: number }
  >;
}

async function fill(flags: readonly string[]): Promise<Found> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, program]);
  return JSON.parse(stdout);
}

/** A token and a lease, both counted with ids of 28 and 43 characters. */
const viewerBytes = 685;

// Without the bound, the same entries end the process: "heap out of memory".
test(
  'a process lives with every cache filled to its bound, in as small a heap as it is given, and no cache takes more memory than it counts, nor a viewer more than 685 bytes',
  async () => {
    const found = await fill(['--max-old-space-size=56', '--expose-gc', ...steadyCode]);
    for (const name of caches) {
      const { entered, kept, bytes, heapBytes } = found.caches[name];
      expect(kept, name).toBeLessThan(entered);
      expect(kept, name).toBeGreaterThan(300);
      expect(bytes, name).toBeLessThanOrEqual(found.bytes);
      expect(heapBytes, name).toBeLessThan(bytes * 1.25 + elsewhereBytes);
      expect(heapBytes, name).toBeGreaterThan(bytes * 0.75 - elsewhereBytes);
    }
    const { tokens, leases } = found.caches;
    expect(tokens.bytes / tokens.kept + leases.bytes / leases.kept).toBeLessThan(viewerBytes);
  },
  timeLimitMs,
);
