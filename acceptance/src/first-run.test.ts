import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { complete, freePorts, makeTestFolder, runToEnd, startInTest } from './own-process.ts';
import { secretsIn } from './request-lines.ts';
import { viewerToken } from './tokens.ts';

// Each test starts servers, which takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** Only free ports are set. The paths are the defaults. */
const bare = { ...freePorts, SQLITE_PATH: undefined, CONTENT_MODE: 'any' };
const envFile = (folder: string) => join(folder, 'data', 'latchkey.env');

function readKept(folder: string): Record<string, string> {
  return parseEnv(readFileSync(envFile(folder), 'utf8')) as Record<string, string>;
}

/** Starts the server, requests the key of `x` with the stored token secret, and stops it. @returns the key in hex */
async function keyOfOneRun(folder: string, env: Record<string, string | undefined> = bare): Promise<string> {
  const server = startInTest(folder, env);
  const url = await server.listens();
  const kept = readKept(folder).AUTH_JWT_SECRET ?? '';
  const token = viewerToken(Buffer.from(kept.replace(/^base64:/, ''), 'base64'), 'v');
  const response = await fetch(`${url}/keys/x`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  const key = Buffer.from(await response.arrayBuffer()).toString('hex');
  server.kill('SIGTERM');
  expect((await server.ended()).code).toBe(0);
  expect(secretsIn(server.stdout() + server.stderr(), Object.values(readKept(folder)))).toEqual([]);
  return key;
}

describe('without any configuration', () => {
  it('the first run makes the missing secrets in a file for its owner alone, and warns of losing it', async () => {
    const folder = makeTestFolder();
    const server = startInTest(folder, bare);
    await server.listens();
    expect(statSync(envFile(folder)).mode & 0o777).toBe(0o600);
    const kept = readKept(folder);
    expect(Object.keys(kept).sort()).toEqual(['AUTH_JWT_SECRET', 'MASTER_KEY_HEX', 'SALT_HEX']);
    expect(kept.MASTER_KEY_HEX).toMatch(/^[0-9a-f]{64}$/);
    expect(kept.SALT_HEX).toMatch(/^[0-9a-f]{64}$/);
    expect(kept.MASTER_KEY_HEX).not.toBe(kept.SALT_HEX);
    expect(server.stderr()).toMatch(/"warn".*latchkey\.env.*(los)/i);
    expect(readdirSync(join(folder, 'data')).filter((name) => /env/.test(name))).toEqual(['latchkey.env']);
  });

  it('the second run reads the secrets of the first, so the keys stay the same', async () => {
    const folder = makeTestFolder();
    const first = await keyOfOneRun(folder);
    const kept = readKept(folder);
    expect(await keyOfOneRun(folder)).toBe(first);
    expect(readKept(folder)).toEqual(kept);
  });

  it('two first runs at once both serve, with the same keys', async () => {
    const folder = makeTestFolder();
    const urls = await Promise.all([
      startInTest(folder, bare).listens(),
      startInTest(folder, bare).listens(),
    ]);
    const secret = Buffer.from((readKept(folder).AUTH_JWT_SECRET ?? '').replace(/^base64:/, ''), 'base64');
    const keys = await Promise.all(
      urls.map(async (url) => {
        const headers = { authorization: `Bearer ${viewerToken(secret, 'v')}` };
        const response = await fetch(`${url}/keys/x`, { headers });
        return [response.status, Buffer.from(await response.arrayBuffer()).toString('hex')];
      }),
    );
    expect(keys[0]?.[0]).toBe(200);
    expect(keys[1]).toEqual(keys[0]);
  });
});

describe('a wrong master key never serves', () => {
  it('if the file of secrets is lost and the database exists, the server exits 1 and makes no new key', async () => {
    const folder = makeTestFolder();
    await keyOfOneRun(folder);
    rmSync(envFile(folder));
    const { code, stderr } = await runToEnd(folder, bare);
    expect(code).toBe(1);
    expect(stderr).toMatch(/version 1/);
    expect(stderr).toContain('latchkey.env');
    expect(existsSync(envFile(folder))).toBe(false);
  });

  it.each(['MASTER_KEY_HEX', 'SALT_HEX'])(
    'with another %s the server exits 1 and says which version of the master key differs',
    async (name) => {
      const folder = makeTestFolder();
      const server = startInTest(folder, complete);
      await server.listens();
      server.kill('SIGTERM');
      await server.ended();
      const { code, stderr } = await runToEnd(folder, { ...complete, [name]: 'ab'.repeat(32) });
      expect(code).toBe(1);
      expect(stderr).toMatch(/version 1\b/);
      expect(secretsIn(stderr, ['ab'.repeat(32), complete.MASTER_KEY_HEX, complete.SALT_HEX])).toEqual([]);
    },
  );

  it('with another second version of the master key, the server names version 2', async () => {
    const folder = makeTestFolder();
    const second = { MASTER_KEY_HEX_V2: 'cd'.repeat(32), SALT_HEX_V2: 'ef'.repeat(32) };
    const server = startInTest(folder, { ...complete, ...second });
    await server.listens();
    server.kill('SIGTERM');
    await server.ended();
    const { code, stderr } = await runToEnd(folder, { ...complete, ...second, SALT_HEX_V2: 'ee'.repeat(32) });
    expect([code, /version 2\b/.test(stderr)]).toEqual([1, true]);
  });
});

describe('NODE_ENV=production', () => {
  it('with NODE_ENV=production a first run makes no secrets, and names the missing ones', async () => {
    const folder = makeTestFolder();
    const { code, stderr } = await runToEnd(folder, { ...bare, NODE_ENV: 'production' });
    expect(code).toBe(1);
    for (const name of ['MASTER_KEY_HEX', 'SALT_HEX', 'AUTH_JWT_SECRET']) expect(stderr).toContain(name);
    expect(readdirSync(folder)).toEqual([]);
  });
});
