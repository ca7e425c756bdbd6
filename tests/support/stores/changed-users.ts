import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServerProgram } from './server-program.ts';

/** A reload takes milliseconds. The rest is for a busy machine. */
const reloadLimitMs = 10_000;

/** Replaces text in the settings of NATS, such as a password, and makes it read them again. It closes the connections of users who have changed. */
export async function changeNatsSettings(
  { folder, pid }: ServerProgram,
  change: (settings: string) => string,
): Promise<void> {
  const file = join(folder, 'nats.conf');
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  await reloadServer({ folder, pid }, /Reloaded server configuration/g);
}

/** Sends SIGHUP, and waits until the log says so once more. */
async function reloadServer(
  { folder, pid }: Pick<ServerProgram, 'folder' | 'pid'>,
  said: RegExp,
): Promise<void> {
  const count = () => readFileSync(join(folder, 'server.log'), 'utf8').match(said)?.length ?? 0;
  const before = count();
  process.kill(pid, 'SIGHUP');
  const limitMs = performance.now() + reloadLimitMs;
  while (count() === before) {
    if (performance.now() > limitMs) throw new Error('the server did not read its settings again');
    await pause(10);
  }
}
