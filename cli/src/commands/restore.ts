import { existsSync } from 'node:fs';
import { chown, link, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { FileInUse, holdSqlite, renewHistory } from '@latchkey/shared/db/files';
import type { Command } from 'commander';
import { describeRows, placeCopy, readSqlitePath, sync } from '../backup/sqlite-file.ts';
import type { CommandContext } from '../command-context.ts';
import { refusal } from '../refusal.ts';

/** The files that SQLite keeps next to a database. SQLite would use the leftovers of the old database for the new one. */
const companions = ['-wal', '-shm', '-journal'];
/**
 * A server that opened the old file just before it was replaced waits for 2 s at most for this process (`openSqlite`), and then
 * gives up. So none goes on with the old file.
 */
const holdSeconds = 3;
/** Clocks may differ by 10 s, and a line of the log is written when its request ends. */
const marginMs = 60_000;

/** `latchkey restore`: puts a backup in the place of the SQLite file. */
export function registerRestore(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('put a backup in the place of the SQLite file that SQLITE_PATH names')
    .argument('<file>', 'a copy that latchkey backup made; it stays as it is')
    .addHelpText(
      'after',
      `
A RESTORE BRINGS REVOKED VIEWERS BACK. What was revoked after the backup counts as never revoked, and is served keys as soon as the
server is reachable. Keep viewers away until latchkey revocations has made those revocations again.

Stop the server first: the command refuses while one runs on the file. It checks the backup, keeps the old file under another name,
and gives the rows a new history, so that no process and no shared cache believes what it remembers of later changes.
For Postgres, use pg_restore and then latchkey migrate: docs/operate/backup.md.`,
    )
    .action((file: string) => runRestore(resolve(file), context));
}

async function runRestore(backup: string, context: CommandContext): Promise<void> {
  const { env, stdout, stderr, wait, signal, clock, randomBytes } = context;
  const target = readSqlitePath(env, 'restore');
  if (!existsSync(backup)) throw refusal(`there is no file at ${backup}`);
  if (backup === target) throw refusal(`${backup} is the database itself; give the copy`);
  const release = holdTarget(target);
  const explain = (fault: string) => `cannot be restored: ${fault}. Nothing was changed`;
  try {
    const { held, placed: kept } = await placeCopy(
      { from: backup, to: target, signal, explain },
      async (copy) => {
        renewHistory(copy, Buffer.from(randomBytes(16)).toString('hex'));
        await giveOwner(copy, target);
        const kept = await keepOld(target, clock.now());
        await sync(copy);
        await rename(copy, target);
        return kept;
      },
    );
    stdout.write(`${target} is now the copy ${backup}.\n${describeRows(held)}`);
    if (kept !== null) stdout.write(`The file that was there is ${kept}.\n`);
    stderr.write(
      'What was revoked after this backup counts as never revoked. Keep viewers away until it is revoked again:\n',
    );
    // The search finds some revocations again that the backup holds, which is harmless.
    const since = new Date(Math.max(0, (held.lastAt ?? 0) - marginMs)).toISOString();
    stdout.write(`latchkey revocations --since ${since} --redo --server <url> <request log>\n`);
    stderr.write(
      'The audit has no act after the backup. With AUDIT_FORWARD, before the start: docs/operate/audit.md, "After a restore".\n',
    );
    if (release) await wait(holdSeconds);
  } finally {
    release?.();
  }
}

/** @throws AppError VALIDATION_FAILED while a server runs on it */
function holdTarget(target: string): (() => void) | null {
  if (!existsSync(target)) return null;
  try {
    return holdSqlite(target);
  } catch (error) {
    if (!(error instanceof FileInUse)) throw error;
    throw refusal(`a server runs on ${target}. Stop it first, and keep it stopped`, error);
  }
}

/** An administrator may restore for a server that runs as another user, who owns the old file or at least its folder. */
async function giveOwner(path: string, target: string): Promise<void> {
  const { uid, gid } = await stat(existsSync(target) ? target : dirname(target));
  await chown(path, uid, gid).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPERM') throw error;
  });
}

/**
 * Gives the old file a second name. Its first name stays until the new file takes it: a server that started in between would
 * make an empty database.
 *
 * @returns the second name; null if there was no file
 */
async function keepOld(target: string, now: number): Promise<string | null> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const kept = `${target}.before-restore-${time}`;
  for (const end of companions)
    if (existsSync(`${target}${end}`)) await rename(`${target}${end}`, `${kept}${end}`);
  if (!existsSync(target)) return null;
  await link(target, kept);
  return kept;
}
