import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import {
  complete,
  freePorts,
  makeTestFolder,
  runToEnd,
  startInTest,
} from '@latchkey/support/black-box/own-process';
import { secretsIn } from '@latchkey/support/black-box/request-lines';
import { type Environment, makeFolder, startProcess } from '@latchkey/support/black-box/server-process';
import { viewerToken } from '@latchkey/support/tokens';
import { afterAll, expect, it } from 'vitest';

/** Only free ports are set. The paths are the defaults. */
const bare = { ...freePorts, SQLITE_PATH: undefined, CONTENT_MODE: 'any' };
const envFile = (folder: string) => join(folder, 'data', 'latchkey.env');

function readKept(folder: string): Record<string, string> {
  return parseEnv(readFileSync(envFile(folder), 'utf8')) as Record<string, string>;
}

/** Starts the server, requests the key of `x`, and stops it. @returns the key in hex, and what it wrote to standard error */
async function runOnce(folder: string, env: Environment = bare): Promise<{ key: string; stderr: string }> {
  const server = startProcess(folder, env);
  try {
    const url = await server.listens();
    const secrets = { ...env, ...(existsSync(envFile(folder)) ? readKept(folder) : {}) };
    const token = viewerToken(readSecret(secrets.AUTH_JWT_SECRET), 'v');
    const response = await fetch(`${url}/keys/x`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    const key = Buffer.from(await response.arrayBuffer()).toString('hex');
    server.kill('SIGTERM');
    expect((await server.ended()).code).toBe(0);
    const values = [secrets.MASTER_KEY_HEX, secrets.SALT_HEX, secrets.AUTH_JWT_SECRET].map(String);
    expect(secretsIn(server.stdout() + server.stderr(), values)).toEqual([]);
    return { key, stderr: server.stderr() };
  } finally {
    server.kill('SIGKILL');
  }
}

const readSecret = (text = '') =>
  text.startsWith('base64:') ? Buffer.from(text.slice('base64:'.length), 'base64') : Buffer.from(text);

/** A run that has ended. Tests of later runs start from a copy of its folder. */
async function prepareRun(env: Environment) {
  const folder = makeFolder();
  afterAll(() => folder.remove());
  const run = await runOnce(folder.path, env);
  const copy = () => {
    const to = makeTestFolder();
    cpSync(folder.path, to, { recursive: true });
    return to;
  };
  return { ...run, folder: folder.path, copy };
}

const second = { MASTER_KEY_HEX_V2: 'cd'.repeat(32), SALT_HEX_V2: 'ef'.repeat(32) };
const configured = { ...complete, ...second, SQLITE_PATH: undefined, CONTENT_MODE: 'any' };
const [first, firstConfigured] = await Promise.all([prepareRun(bare), prepareRun(configured)]);

it('the first run makes the missing secrets in a file for its owner alone, and warns of losing it', () => {
  const { folder, stderr } = first;
  expect(statSync(envFile(folder)).mode & 0o777).toBe(0o600);
  const kept = readKept(folder);
  expect(Object.keys(kept).sort()).toEqual(['AUTH_JWT_SECRET', 'MASTER_KEY_HEX', 'SALT_HEX']);
  expect(kept.MASTER_KEY_HEX).toMatch(/^[0-9a-f]{64}$/);
  expect(kept.SALT_HEX).toMatch(/^[0-9a-f]{64}$/);
  expect(kept.MASTER_KEY_HEX).not.toBe(kept.SALT_HEX);
  expect(stderr).toMatch(/"warn".*latchkey\.env.*(los)/i);
  expect(readdirSync(join(folder, 'data')).filter((name) => /env/.test(name))).toEqual(['latchkey.env']);
});

it('the second run reads the secrets of the first, so the keys stay the same', async () => {
  const folder = first.copy();
  expect((await runOnce(folder)).key).toBe(first.key);
  expect(readKept(folder)).toEqual(readKept(first.folder));
});

it('two first runs at once both serve, with the same keys', async () => {
  const folder = makeTestFolder();
  const urls = await Promise.all([startInTest(folder, bare).listens(), startInTest(folder, bare).listens()]);
  const secret = readSecret(readKept(folder).AUTH_JWT_SECRET);
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

it('a first run with all secrets makes no file', () => {
  expect(readdirSync(join(firstConfigured.folder, 'data'))).toContain('latchkey.db');
  expect(existsSync(envFile(firstConfigured.folder))).toBe(false);
});

it('if the file of secrets is lost and the database exists, the server exits 1 and makes no new key', async () => {
  const folder = first.copy();
  rmSync(envFile(folder));
  const { code, stderr } = await runToEnd(folder, bare);
  expect(code).toBe(1);
  expect(stderr).toMatch(/version 1/);
  expect(stderr).toContain('latchkey.env');
  expect(existsSync(envFile(folder))).toBe(false);
});

it.each([
  ['MASTER_KEY_HEX', 1],
  ['SALT_HEX_V2', 2],
])('with another %s the server exits 1 and names version %i of the master key', async (name, version) => {
  const other = 'ab'.repeat(32);
  const { code, stderr } = await runToEnd(firstConfigured.copy(), { ...configured, [name]: other });
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`version ${version}\\b`));
  expect(secretsIn(stderr, [other, configured.MASTER_KEY_HEX, configured.SALT_HEX])).toEqual([]);
});

it('with NODE_ENV=production a first run makes no secrets, and names the missing ones', async () => {
  const folder = makeTestFolder();
  const { code, stderr } = await runToEnd(folder, { ...bare, NODE_ENV: 'production' });
  expect(code).toBe(1);
  for (const name of ['MASTER_KEY_HEX', 'SALT_HEX', 'AUTH_JWT_SECRET']) expect(stderr).toContain(name);
  expect(readdirSync(folder)).toEqual([]);
});
