import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { replicaFlags } from './measure-memory.ts';

const root = new URL('../../../', import.meta.url);
const program = fileURLToPath(new URL('../main.ts', import.meta.url));
/** A server ends within 30 s (`shared/src/process/end-on-signals.ts`). The rest is for a busy machine. */
const endLimitMs = 40_000;
const timeLimitMs = 90_000;

let bench: ChildProcess | undefined;
afterEach(() => bench?.kill('SIGKILL'));

/** Starts a measurement without a container, and waits until its replica runs. */
async function startMeasuring(): Promise<{ replica: number }> {
  bench = spawn(process.execPath, [program, '--memory', '1000000', '--container', '0'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  const { pid } = bench;
  const replica = await vi.waitFor(
    () => {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      const found = children.map(Number).find((child) => child > 0 && isReplica(child));
      if (found === undefined) throw new Error('no replica yet');
      return found;
    },
    { timeout: timeLimitMs - endLimitMs, interval: 50 },
  );
  return { replica };
}

function isReplica(pid: number): boolean {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('key-derivation');
}

async function expectGone(pid: number): Promise<void> {
  await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), {
    timeout: endLimitMs,
    interval: 50,
  });
}

test.runIf(process.platform === 'linux')(
  'a measurement that is killed leaves no server behind',
  async () => {
    const { replica } = await startMeasuring();
    bench?.kill('SIGKILL');
    await once(bench as ChildProcess, 'exit');
    await expectGone(replica);
  },
  timeLimitMs,
);

test.each(['compose.yaml', 'k8s/overlays/distributed/key-derivation.yaml'])(
  'memory is measured with the flags of Node with which %s starts key-derivation',
  (file) => {
    const command = `[node, ${replicaFlags.join(', ')}, /app/main.ts]`;
    expect(readFileSync(new URL(file, root), 'utf8')).toContain(command);
  },
);
