import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, makeTestFolder } from '@latchkey/support/black-box/own-process';
import { repositoryFolder } from '@latchkey/support/repository';
import { expect, it, onTestFinished, vi } from 'vitest';

const unit = readFileSync(join(repositoryFolder, 'ops/systemd/latchkey.service'), 'utf8');
/** `[name, value]` of each line. A name may occur several times. */
const lines = [...unit.matchAll(/^([A-Za-z]+)=(.*)$/gm)].map(
  ([, name = '', value = '']) => [name, value] as const,
);
const valuesOf = (name: string) => lines.filter(([its]) => its === name).map(([, value]) => value);
const analyze = '/usr/bin/systemd-analyze';

/** The highest exposure that `systemd-analyze security` may find, in tenths: it calls up to 50 "OK" and from 50 on "MEDIUM". */
const mostExposed = 25;

it('the unit for systemd takes from the process every right that it does not need', () => {
  expect(Object.fromEntries(lines)).toMatchObject({
    User: 'latchkey',
    NoNewPrivileges: 'yes',
    CapabilityBoundingSet: '',
    AmbientCapabilities: '',
    ProtectSystem: 'strict',
    ProtectHome: 'yes',
    PrivateTmp: 'yes',
    PrivateDevices: 'yes',
    RestrictNamespaces: 'yes',
    RestrictSUIDSGID: 'yes',
    SystemCallArchitectures: 'native',
    UMask: '0077',
  });
  // V8 could not start with it.
  expect(valuesOf('MemoryDenyWriteExecute')).toEqual([]);
  // Only its own folders can be written, which no other user can read.
  expect(valuesOf('ReadWritePaths')).toEqual([]);
  expect([valuesOf('StateDirectory'), valuesOf('StateDirectoryMode')]).toEqual([['latchkey'], ['0700']]);
});

it('systemd waits longer for the end of the process than the process takes, as compose.yaml does', () => {
  const compose = /stop_grace_period: (\d+)s/.exec(
    readFileSync(join(repositoryFolder, 'compose.yaml'), 'utf8'),
  )?.[1];
  expect(valuesOf('TimeoutStopSec')).toEqual([compose]);
});

it.skipIf(!existsSync(analyze))(
  'systemd-analyze finds no mistake in the unit, and calls its exposure OK',
  async () => {
    const file = join(makeTestFolder(), 'latchkey.service');
    // It checks that the programs and folders exist. User and group are made by an operator.
    writeFileSync(
      file,
      unit.replaceAll('/opt/latchkey', repositoryFolder).replace(/^(User|Group)=.*\n/gm, ''),
    );
    const run = promisify(execFile);
    const { stdout, stderr } = await run(analyze, ['verify', '--man=no', file]);
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('latchkey.service'))).toEqual([]);
    await run(analyze, ['security', '--offline=yes', `--threshold=${mostExposed}`, file]);
  },
);

it('the command of the unit starts a server that is the process of systemd itself, and ends in order at SIGTERM', async () => {
  const folder = makeTestFolder();
  const adapt = (text: string) =>
    text
      .replaceAll('/opt/latchkey', repositoryFolder)
      .replaceAll('/var/lib/latchkey', folder)
      .replaceAll('/var/cache/latchkey', join(folder, 'cache'));
  const [program = '', ...args] = adapt(valuesOf('ExecStart')[0] ?? '').split(' ');
  const settings = Object.fromEntries(valuesOf('Environment').map((text) => adapt(text).split('=')));
  expect(settings).toMatchObject({ NODE_ENV: 'production', SQLITE_PATH: join(folder, 'latchkey.db') });
  const child = spawn(program, args, {
    cwd: adapt(valuesOf('WorkingDirectory')[0] ?? ''),
    // As the file with the secrets has them, with free ports.
    env: { ...settings, ...freePorts, ...makeSecrets() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const url = await vi.waitFor(
    () => {
      const [, found] = /serves on (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (!found) throw new Error(`it does not serve: ${output}`);
      return found;
    },
    { timeout: 45_000, interval: 50 },
  );
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  // The server has taken the place of the process that started it: the file of the program is the single node's.
  expect(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8')).toContain('gateway/src/single-node.ts');
  expect([existsSync(join(folder, 'latchkey.db')), existsSync(join(folder, 'cache'))]).toEqual([true, true]);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

/** Production refuses secrets that repeat themselves. */
function makeSecrets(): Record<string, string> {
  const names = ['MASTER_KEY_HEX', 'SALT_HEX', 'AUTH_JWT_SECRET'];
  return Object.fromEntries(names.map((name) => [name, randomBytes(32).toString('hex')]));
}
