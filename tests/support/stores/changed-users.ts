import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from './own-stores.ts';
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

/** Runs a command of Redis as a user. @returns what `redis-cli` says; a refusal is part of that */
export function commandRedis(
  port: number,
  { name, password }: { name: string; password: string },
  command: readonly string[],
): string {
  const cli = findProgram('redis-cli');
  if (!cli) throw new Error('redis-cli is not installed on this machine');
  const args = ['-p', String(port), '--user', name, '--pass', password, '--no-auth-warning', ...command];
  return String(execFileSync(cli, args, { stdio: 'pipe' })).trim();
}
