import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { complete, makeTestFolder, startInTest } from './own-process.ts';

// Each test starts servers, which takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const entryOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
/** `nobody`, on every Linux. Only root may start a process as another user. Other users test with a read-only file. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;

/** Makes a database that another user may read but not write. */
async function makeForeignDatabase(): Promise<string> {
  const folder = makeTestFolder();
  const server = startInTest(folder, complete);
  await server.listens();
  server.kill('SIGTERM');
  await server.ended();
  chmodSync(folder, 0o777);
  chmodSync(join(folder, 'latchkey.db'), isRoot ? 0o644 : 0o444);
  return folder;
}

function runAsOther(folder: string, entry: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entryOf(entry), ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...complete, SQLITE_PATH: join(folder, 'latchkey.db') },
    encoding: 'utf8',
    timeout: 60_000,
    ...(isRoot ? { uid: nobody, gid: nobody } : {}),
  });
  return { status, text: stdout + stderr };
}

describe('a database file that this user may not write to', () => {
  it('with a database file that belongs to another user, the server ends and names the owner and what to do', async () => {
    const { status, text } = runAsOther(await makeForeignDatabase(), 'gateway/src/single-node.ts');
    expect(status).toBe(1);
    expect(text).toMatch(/SQLITE_PATH is .*latchkey\.db.* belongs to user \d+ \(mode \d+\)/);
    expect(text).toContain('chown');
    expect(text).not.toMatch(/^\s+at /m);
  });

  it('the doctor reports a database file that belongs to another user', async () => {
    const { status, text } = runAsOther(await makeForeignDatabase(), 'cli/src/main.ts', 'doctor');
    expect(status).toBe(1);
    expect(text).toMatch(/WRONG {4}SQLITE_PATH .*belongs to user \d+/);
  });
});

it('only the owner may read a new database, its write-ahead log and its folder', async () => {
  const folder = makeTestFolder();
  const path = join(folder, 'data', 'latchkey.db');
  await startInTest(folder, { ...complete, SQLITE_PATH: path }).listens();
  const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
  expect([path, `${path}-wal`, `${path}-shm`].map(modeOf)).toEqual(['600', '600', '600']);
  expect(modeOf(join(folder, 'data'))).toBe('700');
});

it('the server warns of a database and secrets that every user of the machine may read', async () => {
  const folder = makeTestFolder();
  const first = startInTest(folder, {});
  await first.listens();
  expect(first.stderr()).not.toContain('chmod');
  first.kill('SIGTERM');
  await first.ended();
  // Releases before 0.3.0 made the database like this, and a copy of a backup may have these rights.
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
  await vi.waitFor(() => expect(second.stderr()).toContain('chmod 600'), { timeout: 20_000 });
  for (const path of files) {
    expect(second.stderr()).toMatch(new RegExp(`chmod 600 .*${basename(path)}`));
    expect(statSync(path).mode & 0o777).toBe(0o644);
  }
});
