import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readMasterKey } from '../keys/derive-from-env.ts';
import { runCommand } from '../testing/run-command.ts';
import { temporaryFolder } from '../testing/temporary-folder.ts';

describe('latchkey keygen', () => {
  it('keygen prints every secret in the form that the server accepts, and explains what losing them means', async () => {
    const { exitCode, stdout, stderr } = await runCommand(['keygen']);
    expect(exitCode).toBe(0);
    expect(parseEnv(stdout)).toEqual({
      MASTER_KEY_HEX: expect.stringMatching(/^[0-9a-f]{64}$/),
      SALT_HEX: expect.stringMatching(/^[0-9a-f]{64}$/),
      AUTH_JWT_SECRET: expect.stringMatching(/^base64:[A-Za-z0-9+/]{43}=$/),
      ADMIN_API_KEY: expect.stringMatching(/^lk_[0-9a-f]{64}$/),
      INTERNAL_SECRET: expect.stringMatching(/^[0-9a-f]{64}$/),
      POSTGRES_PASSWORD: expect.stringMatching(/^[0-9a-f]{64}$/),
      AUTH_DATABASE_PASSWORD: expect.stringMatching(/^[0-9a-f]{64}$/),
      CONTENT_DATABASE_PASSWORD: expect.stringMatching(/^[0-9a-f]{64}$/),
      LEASES_DATABASE_PASSWORD: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(stderr).toContain('you lose all content');
  });

  it('keygen makes other secrets at each run', async () => {
    const lines = [await runCommand(['keygen']), await runCommand(['keygen'])].flatMap(({ stdout }) =>
      Object.values(parseEnv(stdout)).map((value) => value?.replace(/^(lk_|base64:)/, '')),
    );
    expect(new Set(lines).size).toBe(18);
  });

  it('keygen --out writes a file that only its owner can read, and prints no secret', async () => {
    const path = join(temporaryFolder(), 'latchkey.env');
    const { exitCode, stdout, stderr } = await runCommand(['keygen', '--out', path]);
    expect(exitCode).toBe(0);
    expect(stdout).toBe('');
    expect(stderr).not.toMatch(/[0-9a-f]{64}/);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readMasterKey(parseEnv(readFileSync(path, 'utf8'))).version).toBe(1);
  });

  it('keygen --out never overwrites a file', async () => {
    const path = join(temporaryFolder(), 'latchkey.env');
    writeFileSync(path, 'precious');
    const { exitCode, stderr } = await runCommand(['keygen', '--out', path]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/--out .* exists already and is never overwritten/);
    expect(readFileSync(path, 'utf8')).toBe('precious');
  });

  it('keygen --version-number makes only a further version of the master key and its salt', async () => {
    const { stdout } = await runCommand(['keygen', '--version-number', '2']);
    expect(Object.keys(parseEnv(stdout))).toEqual(['MASTER_KEY_HEX_V2', 'SALT_HEX_V2']);
    expect(readMasterKey(parseEnv(stdout)).version).toBe(2);
  });

  it('keygen --only makes only the named secrets', async () => {
    const { stdout, stderr } = await runCommand(['keygen', '--only', 'ADMIN_API_KEY, INTERNAL_SECRET']);
    expect(Object.keys(parseEnv(stdout))).toEqual(['ADMIN_API_KEY', 'INTERNAL_SECRET']);
    expect(stderr).toBe('');
  });

  it.each([
    [['--only', 'MASTER'], 'MASTER_KEY_HEX, SALT_HEX'],
    [['--version-number', '0'], '1 or more'],
    [['--version-number', '2', '--only', 'ADMIN_API_KEY'], '--only names neither'],
    [['--out', '/nowhere/latchkey.env'], '/nowhere/latchkey.env: is not there'],
  ])('keygen refuses %j and explains why', async (args, message) => {
    const { exitCode, stdout, stderr } = await runCommand(['keygen', ...args]);
    expect(exitCode).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
  });
});

describe('latchkey', () => {
  it.each([[['--help']], [['keygen', '--help']], [['encrypt', '--help']], [['help', 'encrypt']]])(
    'latchkey prints its help for %j and exits 0',
    async (args) => {
      const { exitCode, stdout } = await runCommand(args);
      expect(exitCode).toBe(0);
      expect(stdout).toContain('Usage: latchkey');
    },
  );

  it.each([[[]], [['unknown']], [['keygen', '--unknown']], [['encrypt']], [['keygen', 'surplus']]])(
    'latchkey exits 2 for %j',
    async (args) => {
      const { exitCode, stdout, stderr } = await runCommand(args);
      expect(exitCode).toBe(2);
      expect(stdout).toBe('');
      expect(stderr).not.toBe('');
    },
  );
});
