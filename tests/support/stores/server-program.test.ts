import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { findProgram } from './own-stores.ts';

const isInstalled = findProgram('redis-server') !== undefined;

it.skipIf(!isInstalled)(
  'a server ends and its folder is removed when the process that started it is killed',
  async () => {
    const module = join(import.meta.dirname, 'own-stores.ts');
    const program = `const { startOwnRedis } = await import(${JSON.stringify(module)});
    const { pid, folder } = await startOwnRedis();
    console.log(JSON.stringify({ pid, folder }));`;
    const starter = spawn(process.execPath, ['--input-type=module', '-e', program]);
    const line = await new Promise<string>((resolve) =>
      starter.stdout.once('data', (data) => resolve(String(data))),
    );
    const { pid, folder } = JSON.parse(line) as { pid: number; folder: string };
    expect(process.kill(pid, 0)).toBe(true);
    starter.kill('SIGKILL');
    await vi.waitFor(() => {
      expect(() => process.kill(pid, 0)).toThrow('ESRCH');
      expect(existsSync(folder)).toBe(false);
    }, 30_000);
  },
  60_000,
);
