import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from './eventually.ts';
import { complete, makeTestFolder } from './own-process.ts';

const root = join(import.meta.dirname, '../..');

it('SIGTERM to `npm start` alone ends the server in order, and the command ends after it', async () => {
  const child = spawn('npm', ['start'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...complete,
      SQLITE_PATH: join(makeTestFolder(), 'latchkey.db'),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A process group of its own, so that the test can end all its processes.
    detached: true,
  });
  onTestFinished(() => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // As expected, no process is left.
    }
  });
  let written = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    written += text;
  });
  const url = await eventually(() => {
    const [, found] = /serves on (http:\/\/[^\s"]+)/.exec(written) ?? [];
    if (!found) throw new Error(`It does not listen. It wrote:\n${written}`);
    return found;
  });
  expect((await fetch(`${url}/health`)).status).toBe(200);
  child.kill('SIGTERM');
  await once(child, 'exit');
  await expect(fetch(`${url}/health`)).rejects.toThrow();
  await eventually(() => expect(written).toContain('SIGTERM: closing'));
});
