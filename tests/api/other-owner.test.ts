import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { eventually } from '@latchkey/support/black-box/eventually';
import { complete, makeTestFolder, startInTest } from '@latchkey/support/black-box/own-process';
import { makeFolder, startProcess } from '@latchkey/support/black-box/server-process';
import { repositoryFolder } from '@latchkey/support/repository';
import { afterAll, expect, it } from 'vitest';

/** `nobody`, on every Linux. Only root may start a process as another user. Other users test with a read-only file. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** A database and the rights that its server gave it. Another user may now read but not write it. */
async function makeForeignDatabase() {
  const folder = makeFolder();
  afterAll(() => folder.remove());
  const data = join(folder.path, 'data');
  const path = join(data, 'latchkey.db');
  const server = startProcess(folder.path, { ...complete, SQLITE_PATH: path });
  await server.listens();
  const modes = [path, `${path}-wal`, `${path}-shm`, data].map(modeOf);
  server.kill('SIGTERM');
  await server.ended();
  for (const each of [folder.path, data]) chmodSync(each, 0o777);
  chmodSync(path, isRoot ? 0o644 : 0o444);
  return { path, modes };
}

const { path: database, modes } = await makeForeignDatabase();

function runAsOther(entry: string, ...args: string[]) {
  const folder = dirname(database);
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(repositoryFolder, entry), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...complete, SQLITE_PATH: database },
    encoding: 'utf8',
    timeout: 60_000,
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  return { status, text: stdout + stderr };
}

it('with a database file that belongs to another user, the server ends and names the owner and what to do', () => {
  const { status, text } = runAsOther('gateway/src/single-node.ts');
  expect(status).toBe(1);
  expect(text).toMatch(/SQLITE_PATH is .*latchkey\.db.* belongs to user \d+ \(mode \d+\)/);
  expect(text).toContain('chown');
  expect(text).not.toMatch(/^\s+at /m);
});

it('the doctor reports a database file that belongs to another user', () => {
  const { status, text } = runAsOther('cli/src/main.ts', 'doctor');
  expect(status).toBe(1);
  expect(text).toMatch(/WRONG {4}SQLITE_PATH .*belongs to user \d+/);
});

it('only the owner may read a new database, its write-ahead log and its folder', () => {
  expect(modes).toEqual(['600', '600', '600', '700']);
});

it('the server warns of a database and secrets that every user of the machine may read', async () => {
  const folder = makeTestFolder();
  const first = startInTest(folder, {});
  await first.listens();
  expect(first.stderr()).not.toContain('chmod');
  first.kill('SIGTERM');
  await first.ended();
  // A copy of a backup may have these rights.
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /latchkey\.(db|env)$/.test(name))
    .map((name) => join(folder, name));
  expect(files).toHaveLength(2);
  for (const path of files) {
    chmodSync(dirname(path), 0o755);
    chmodSync(path, 0o644);
  }
  const second = startInTest(folder, {});
  await second.listens();
  await eventually(() => expect(second.stderr()).toContain('chmod 600'));
  for (const path of files) {
    expect(second.stderr()).toMatch(new RegExp(`chmod 600 .*${basename(path)}`));
    expect(statSync(path).mode & 0o777).toBe(0o644);
  }
});
