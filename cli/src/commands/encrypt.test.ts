import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createMasterKey, deriveContentKey } from '@latchkey/shared/derivation';
import { describe, expect, it } from 'vitest';
import { playPresentation } from '../testing/play-presentation.ts';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder, writeFiles } from '../testing/temporary-folder.ts';

const files = {
  'f.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n#EXTINF:2,\nb.ts\n#EXT-X-ENDLIST',
  'a.ts': 'a',
  'b.ts': 'b',
};
// The vector of docs/reference/contract.md#derivation.
const hexFrom = (first: number) =>
  Buffer.from(Array.from({ length: 32 }, (_, n) => first + n)).toString('hex');
const env = { MASTER_KEY_HEX: hexFrom(0x00), SALT_HEX: hexFrom(0x20) };
const secondEnv = { MASTER_KEY_HEX_V2: 'aa'.repeat(32), SALT_HEX_V2: 'bb'.repeat(32) };
const secondKey = createMasterKey(2, Buffer.alloc(32, 0xaa), Buffer.alloc(32, 0xbb));

function prepare(more: Record<string, string> = {}) {
  const folder = writeFiles(temporaryFolder(), { ...files, ...more });
  const out = join(folder, 'out');
  const args = ['encrypt', join(folder, 'f.m3u8'), '--content-id', 'my-video-001', '--out', out];
  const clear = (keyOf: (url: string) => Uint8Array) =>
    playPresentation(join(out, 'f.m3u8'), keyOf)[0]?.segments.map((segment) => segment.clear.toString());
  return { folder, out, args, clear };
}

describe('latchkey encrypt', () => {
  it('encrypt derives the key of the contract from MASTER_KEY_HEX and SALT_HEX', async () => {
    const { args, clear } = prepare();
    const { exitCode, stdout } = await runCommand(args, { env });
    expect(exitCode).toBe(0);
    expect(clear(() => Buffer.from('a4ad6589c125682427dbee83eb46259f', 'hex'))).toEqual(['a', 'b']);
    expect(stdout).toContain('http://localhost:4100/keys/my-video-001');
    expect(stdout).toMatch(/2 segments of 1 rendition\(s\), 32 bytes, one key throughout/);
  });

  it('encrypt uses the highest version of the master key, or the version of --key-version', async () => {
    const highest = prepare();
    await runCommand(highest.args, { env: { ...env, ...secondEnv } });
    expect(highest.clear(() => deriveContentKey(secondKey, 'my-video-001'))).toEqual(['a', 'b']);
    const first = prepare();
    await runCommand([...first.args, '--key-version', '1'], { env: { ...env, ...secondEnv } });
    expect(first.clear(() => Buffer.from('a4ad6589c125682427dbee83eb46259f', 'hex'))).toEqual(['a', 'b']);
  });

  it('encrypt reads an env file, and secrets from the files that _FILE variables name', async () => {
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const fromFile = prepare({ 'latchkey.env': lines.join('\n') });
    const envFile = join(fromFile.folder, 'latchkey.env');
    expect((await runCommand([...fromFile.args, '--env-file', envFile])).exitCode).toBe(0);
    const fromSecrets = prepare({ key: `${env.MASTER_KEY_HEX}\n`, salt: env.SALT_HEX });
    const secrets = {
      MASTER_KEY_HEX_FILE: join(fromSecrets.folder, 'key'),
      SALT_HEX_FILE: join(fromSecrets.folder, 'salt'),
    };
    expect((await runCommand(fromSecrets.args, { env: secrets })).exitCode).toBe(0);
    const key = Buffer.from('a4ad6589c125682427dbee83eb46259f', 'hex');
    expect([fromFile.clear(() => key), fromSecrets.clear(() => key)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('encrypt prints nothing with --quiet, and some lines without a terminal', async () => {
    expect(await runCommand([...prepare().args, '--quiet'], { env })).toMatchObject({
      stdout: '',
      stderr: '',
    });
    const { stderr } = await runCommand(prepare().args, { env });
    expect(stderr.split('\n')).toEqual(['Encrypting 2 files, 0 MB', '1 of 2 files', '2 of 2 files', '']);
  });

  it('encrypt without --register prints the key periods that the server needs, if there are epochs', async () => {
    const rotated = await runCommand([...prepare().args, '--rotate-every', '1'], { env });
    expect(rotated.stdout).toContain(
      'State the key periods of my-video-001: {"keyPeriods":{"mode":"sequence","count":2,"periodSeconds":2}}',
    );
    expect((await runCommand(prepare().args, { env })).stdout).not.toContain('key periods');
  });

  it('encrypt prints warnings even with --quiet', async () => {
    const { args } = prepare({ 'f.m3u8': '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.ts\n' });
    const { stderr } = await runCommand([...args, '--quiet'], { env });
    expect(stderr).toMatch(/^latchkey: warning: f\.m3u8: has no #EXT-X-ENDLIST/);
  });

  it.each([
    ['no key', [], {}, 'give --server <url> with LATCHKEY_API_KEY, or --env-file'],
    ['half a master key', [], { MASTER_KEY_HEX: env.MASTER_KEY_HEX }, 'SALT_HEX is not set'],
    ['a short salt', [], { ...env, SALT_HEX: 'abcd' }, 'SALT_HEX has 4 characters'],
    ['a version that is not there', ['--key-version', '3'], env, 'MASTER_KEY_HEX_V3 is not set'],
    ['a value and a file', [], { ...env, SALT_HEX_FILE: '/x' }, 'SALT_HEX and SALT_HEX_FILE are both set'],
    [
      'an unreadable file',
      [],
      { ...env, SALT_HEX: '', SALT_HEX_FILE: '/nowhere' },
      'SALT_HEX_FILE: /nowhere cannot be',
    ],
    ['an env file that is not there', ['--env-file', '/nowhere'], {}, '--env-file /nowhere cannot be read'],
    ['two sources', ['--server', 'http://x', '--env-file', '/x'], {}, '--keys-from server|env'],
    ['a server without an API key', ['--server', 'http://x'], {}, 'LATCHKEY_API_KEY is not set'],
    [
      'an API key that no header carries',
      ['--server', 'http://x'],
      { LATCHKEY_API_KEY: 'a b' },
      'lk_ and 64',
    ],
    ['a server that is no URL', ['--server', 'localhost:4100'], {}, '--server "localhost:4100"; accepted'],
    ['--keys-from server alone', ['--keys-from', 'server'], env, '--keys-from server needs --server'],
    ['--register without a server', ['--register'], env, '--register needs a server'],
    ['a rotation of 0', ['--rotate-every', '0'], env, '--rotate-every'],
    [
      '--cache-control-segments without --upload',
      ['--cache-control-segments', 'no-cache'],
      env,
      'are for --upload',
    ],
    ['--period without --live', ['--period', '5'], env, '--period is for --live'],
    [
      '--source-header without a URL',
      ['--source-header', 'a: b'],
      env,
      '--source-header is for a source at a URL',
    ],
  ])('encrypt exits 2 for %s, names it, and leaves nothing', async (_, more, variables, message) => {
    const { args, out } = prepare();
    const { exitCode, stdout, stderr } = await runCommand([...args, ...more], { env: variables });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).not.toContain(env.MASTER_KEY_HEX);
    expect(stderr).not.toContain('secret');
    expect(existsSync(out)).toBe(false);
  });
});
