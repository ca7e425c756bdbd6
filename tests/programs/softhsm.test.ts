import { createHmac, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readApiDocument } from '@latchkey/support/black-box/api-document';
import { askAsPlayers, callsOf, ignoreLostConnection } from '@latchkey/support/black-box/ask-as-players';
import { createClient } from '@latchkey/support/black-box/client';
import { complete, makeTestFolder, runToEnd, startInTest } from '@latchkey/support/black-box/own-process';
import type { Environment } from '@latchkey/support/black-box/server-process';
import { makeApiKey, masterKeyHex, saltHex } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { buildPkcs11 } from '@latchkey/support/build-pkcs11';
import { canServeTokens, createSoftToken, serveToken } from '@latchkey/support/custody/soft-token';
import { runCli } from '@latchkey/support/processes/run-cli';
import { viewerToken } from '@latchkey/support/tokens';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { canReadMemory, readMemory } from './read-memory.ts';

const { SOFTHSM_UTIL_PATH: util } = process.env;
const patience = { timeout: 60_000, interval: 200 };
vi.setConfig({ testTimeout: 180_000 });
const admin = makeApiKey();
const { MASTER_KEY_HEX, SALT_HEX, ...withoutKey } = complete;

/** HKDF-Extract (RFC 5869 section 2.2). */
const extractedKey = createHmac('sha256', Buffer.from(saltHex, 'hex'))
  .update(Buffer.from(masterKeyHex, 'hex'))
  .digest();

function makeToken() {
  buildPkcs11();
  const token = createSoftToken(util ?? '', join(makeTestFolder(), 'hsm'));
  onTestFinished(token.remove);
  return token;
}

/** As an operator brings the key in: with the master key in this command alone. */
const importKey = (env: Environment, key = { MASTER_KEY_HEX, SALT_HEX }) =>
  runCli(['master-key', 'import'], { ...env, ...key });

async function start(folder: string, env: Environment) {
  const server = startInTest(folder, { ...withoutKey, ADMIN_API_KEY: admin, ...env });
  const url = await server.listens();
  return { server, url, client: createClient(url, await readApiDocument(url)) };
}
type Started = Awaited<ReturnType<typeof start>>;

const register = ({ client }: Started, id: string) => client.post('/api/v1/content', admin, { id, name: id });
const keyOf = async ({ client }: Started, path: string) => {
  const { status, bytes } = await client.get(`/keys/${path}`, admin);
  return status === 200 ? bytes.toString('hex') : status;
};

function derive(info: string): string {
  const [key = '', salt = ''] = [masterKeyHex, saltHex].map((hex) => Buffer.from(hex, 'hex'));
  return Buffer.from(hkdfSync('sha256', key, salt, info, 16)).toString('hex');
}

describe.skipIf(!util)('a master key on a PKCS#11 token (SoftHSM)', () => {
  it('serves the keys of the contract, by epoch, by key id and to packagers, as a key in the environment does', async () => {
    const { env } = makeToken();
    const folder = makeTestFolder();
    const said = await importKey(env);
    expect(said).toMatch(/^version 1 is stored at pkcs11, fingerprint [0-9a-f]{16}$/);
    const node = await start(folder, { ...env, PUBLIC_URL: 'https://keys.example' });
    await register(node, 'my-video-001');
    expect(await keyOf(node, 'my-video-001')).toBe('a4ad6589c125682427dbee83eb46259f');
    expect(await keyOf(node, 'my-video-001/4294967295')).toBe(derive('my-video-001/4294967295'));
    const kid = randomUUID();
    expect(await keyOf(node, `my-video-001/kid/${kid}`)).toBe(derive(`my-video-001/kid/${kid}`));
    const cpix = await node.client.get('/api/v1/content/my-video-001/cpix?epochs=0-9', admin);
    expect(cpix.bytes.toString()).toContain(Buffer.from(derive('my-video-001/9'), 'hex').toString('base64'));
    const { json } = await node.client.get('/ready');
    expect(json.dependencies['master-key']).toEqual({
      status: 'up',
      versions: [1],
      providers: { 1: 'pkcs11' },
    });

    // The same database with the key in the environment: an operator can go either way.
    const imported = Buffer.alloc(16, 7);
    const path = '/api/v1/content/my-video-001/keys/3';
    expect((await node.client.call('PUT', path, { as: admin, body: imported })).status).toBe(204);
    expect(await keyOf(node, 'my-video-001/3')).toBe(imported.toString('hex'));
    node.server.kill('SIGTERM');
    await node.server.ended();
    const before = await start(folder, { MASTER_KEY_HEX, SALT_HEX });
    expect(await keyOf(before, 'my-video-001')).toBe('a4ad6589c125682427dbee83eb46259f');
    expect(await keyOf(before, 'my-video-001/3')).toBe(imported.toString('hex'));
  });

  it('ten thousand contents get their own keys, and a thousand viewers of one content are one call', async () => {
    const { env } = makeToken();
    await importKey(env);
    const node = await start(makeTestFolder(), { ...env, CONTENT_MODE: 'any' });
    const tokens = Array.from({ length: 1_000 }, () =>
      viewerToken(Buffer.from(complete.AUTH_JWT_SECRET), unique('viewer')),
    );
    const before = await callsOf(node.server);
    expect(await askAsPlayers(node.client, '/keys/premiere/1', tokens)).toEqual(
      new Set([derive('premiere/1')]),
    );
    expect((await callsOf(node.server)) - before).toBe(1);

    const left = Array.from({ length: 10_000 }, (_, n) => `film-${n}`);
    let right = 0;
    // Without the checks of each answer, which take longer than the answers.
    const pool = new Pool(node.url, { connections: 32 });
    const headers = { authorization: `Bearer ${admin}` };
    const work = async () => {
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        const ask = async () => (await pool.request({ method: 'GET', path: `/keys/${id}`, headers })).body;
        const bytes = await ask()
          .then((body) => body.arrayBuffer())
          .catch(ignoreLostConnection);
        // A busy machine may refuse it at first.
        if (bytes?.byteLength !== 16) left.push(id);
        else if (Buffer.from(bytes).toString('hex') === derive(id)) right++;
      }
    };
    await Promise.all(Array.from({ length: 32 }, work));
    await pool.close();
    expect(right).toBe(10_000);
    expect((await callsOf(node.server)) - before).toBe(10_001);
    await keyOf(node, 'film-7');
    expect((await callsOf(node.server)) - before).toBe(10_001);
  });

  it('versions can be mixed: the first one stays in the environment, and the second one is on the token', async () => {
    const { env } = makeToken();
    const { MASTER_KEY_PROVIDER: provider, PKCS11_KEY_LABEL: label, ...place } = env;
    const onToken = { ...place, MASTER_KEY_PROVIDER_V2: provider, PKCS11_KEY_LABEL_V2: label };
    const second = { MASTER_KEY_HEX_V2: 'cd'.repeat(32), SALT_HEX_V2: 'ef'.repeat(32) };
    await runCli(['master-key', 'import', '--version-number', '2'], { ...onToken, ...second });
    const folder = makeTestFolder();
    const first = await start(folder, { MASTER_KEY_HEX, SALT_HEX });
    await register(first, 'old');
    first.server.kill('SIGTERM');
    await first.server.ended();
    const both = await start(folder, { MASTER_KEY_HEX, SALT_HEX, ...onToken });
    const { json } = await register(both, 'new');
    expect(json.content.keyVersion).toBe(2);
    expect(await keyOf(both, 'old')).toBe(derive('old'));
    const expected = hkdfSync('sha256', Buffer.alloc(32, 0xcd), Buffer.alloc(32, 0xef), 'new', 16);
    expect(await keyOf(both, 'new')).toBe(Buffer.from(expected).toString('hex'));
  });

  it.skipIf(!canServeTokens)(
    'while the token is away, keys that are kept are served and others get 503, and it is used again when it is back',
    async () => {
      const token = makeToken();
      const folder = makeTestFolder();
      await importKey(token.env);
      const served = serveToken(token, folder);
      await served.start();
      onTestFinished(served.kill);
      const node = await start(folder, { ...served.env, CONTENT_MODE: 'any' });
      expect(await keyOf(node, 'kept')).toBe(derive('kept'));
      await served.kill();
      expect(await keyOf(node, 'kept')).toBe(derive('kept'));
      expect(await keyOf(node, 'another')).toBe(503);
      await vi.waitFor(async () => {
        const { status, json } = await node.client.get('/ready');
        expect([status, json.dependencies['master-key']]).toEqual([
          200,
          { status: 'degraded', versions: [1], providers: { 1: 'pkcs11' }, unavailable: 1 },
        ]);
      }, patience);
      expect(node.server.stderr()).toContain('the master key of version 1 is at pkcs11');
      await served.start();
      await vi.waitFor(async () => expect(await keyOf(node, 'another')).toBe(derive('another')), patience);
      await vi.waitFor(async () => {
        const { json } = await node.client.get('/ready');
        expect(json.dependencies['master-key'].status).toBe('up');
      }, patience);
    },
  );

  it('a wrong PIN, token or key stops the start with its variable, and a PIN is shown to the token once', async () => {
    const { env } = makeToken();
    await importKey(env);
    const startWith = async (other: Environment) => {
      const { code, stderr } = await runToEnd(makeTestFolder(), { ...withoutKey, ...env, ...other });
      expect(code).toBe(1);
      return stderr;
    };
    const wrongPin = await startWith({ PKCS11_PIN: 'never shown 9876' });
    expect(wrongPin).toContain('the PIN is wrong (CKR_PIN_INCORRECT)');
    expect(wrongPin).not.toContain('9876');
    expect(await startWith({ PKCS11_TOKEN_LABEL: 'other' })).toContain(
      'PKCS11_TOKEN_LABEL is other, and no token has that label; there are: latchkey',
    );
    expect(await startWith({ PKCS11_KEY_LABEL: 'other' })).toContain(
      'PKCS11_KEY_LABEL is other, and the token latchkey has no secret key of that label',
    );
    expect(await startWith({ PKCS11_MODULE: '/nowhere.so' })).toContain('PKCS11_MODULE is /nowhere.so');
    expect(await startWith({ PKCS11_PIN: '' })).toContain('PKCS11_PIN is not set');
    expect(await startWith({ MASTER_KEY_HEX })).toContain('Remove MASTER_KEY_HEX from this process');
    expect(await startWith({ MASTER_KEY_PROVIDER: 'paper' })).toContain('MASTER_KEY_PROVIDER');
  });

  it('another key than the one that the database knows is refused, and `master-key check` says so', async () => {
    const folder = makeTestFolder();
    const first = await start(folder, { MASTER_KEY_HEX, SALT_HEX });
    await register(first, 'film');
    first.server.kill('SIGTERM');
    await first.server.ended();
    const { env } = makeToken();
    const database = { SQLITE_PATH: join(folder, 'latchkey.db') };
    await expect(runCli(['master-key', 'check'], { ...env, ...database })).rejects.toThrow(
      'has no secret key of that label',
    );
    await importKey(env, { MASTER_KEY_HEX: 'ab'.repeat(32), SALT_HEX });
    await expect(importKey(env)).rejects.toThrow('has a key latchkey-1 already');
    await expect(runCli(['master-key', 'check'], { ...env, ...database })).rejects.toThrow(
      'the master key cannot be used: version 1 is not the one that',
    );
    const { code, stderr } = await runToEnd(folder, { ...withoutKey, ...env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not the one that this database knows')]);
    const right = { ...env, PKCS11_KEY_LABEL: 'latchkey-right' };
    await importKey(right);
    expect(await runCli(['master-key', 'check'], { ...right, ...database })).toMatch(
      /^version 1: pkcs11, fingerprint [0-9a-f]{16}, is the one that .* knows$/,
    );
  });

  it('a key goes onto the token by a file that holds only what the token needs', async () => {
    const { env } = makeToken();
    const file = join(makeTestFolder(), 'extracted.key');
    const extract = () => runCli(['master-key', 'extract', '--out', file], { MASTER_KEY_HEX, SALT_HEX });
    await extract();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`${extractedKey.toString('hex')}\n`);
    await expect(extract()).rejects.toThrow('exists already');
    await runCli(['master-key', 'import', '--extracted', file], env);
    const check = await runCli(['master-key', 'check', '--no-database'], env);
    const own = await runCli(['master-key', 'check', '--no-database'], { MASTER_KEY_HEX, SALT_HEX });
    expect(check.replace('pkcs11', 'env')).toBe(own);
  });

  it.skipIf(!canServeTokens || !canReadMemory)(
    'neither the master key nor the extracted key is anywhere in the memory of a server that uses the token of another process',
    async () => {
      // The bytes of the contract's vector rise one by one, as the bytes of many tables do.
      const [masterKey, salt] = [randomBytes(32), randomBytes(32)];
      const key = { MASTER_KEY_HEX: masterKey.toString('hex'), SALT_HEX: salt.toString('hex') };
      const token = makeToken();
      const folder = makeTestFolder();
      await importKey(token.env, key);
      const served = serveToken(token, folder);
      await served.start();
      onTestFinished(served.kill);
      const node = await start(folder, { ...served.env, CONTENT_MODE: 'any' });
      let last = '';
      for (let n = 0; n < 100; n++) last = String(await keyOf(node, `film-${n}`));
      const secrets = [masterKey, createHmac('sha256', salt).update(masterKey).digest()];
      // The search does find a key that the process holds.
      const found = findSecrets(node.server.pid, [...secrets, Buffer.from(last, 'hex')]);
      expect(found).toEqual([false, false, true]);
      const withKey = await start(makeTestFolder(), { ...key, CONTENT_MODE: 'any' });
      expect(await keyOf(withKey, 'film-99')).toBe(last);
      expect(findSecrets(withKey.server.pid, secrets)).toContain(true);
    },
  );
});

/** Whether each secret is in the memory of a process, as bytes or as hexadecimal digits. */
function findSecrets(pid: number, secrets: readonly Buffer[]): boolean[] {
  const memory = readMemory(pid);
  const formsOf = (secret: Buffer) => {
    const hex = secret.toString('hex');
    return [secret, Buffer.from(hex), Buffer.from(hex.toUpperCase())];
  };
  return secrets.map((secret) =>
    formsOf(secret).some((form) => memory.some((region) => region.includes(form))),
  );
}
