import { createHmac, hkdfSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askAsPlayers, callsOf } from '@latchkey/support/black-box/ask-as-players';
import { eventually } from '@latchkey/support/black-box/eventually';
import {
  complete,
  endProcess,
  makeTestFolder,
  openInTest,
  ownAdminKey,
  runToEnd,
} from '@latchkey/support/black-box/own-process';
import type { Environment } from '@latchkey/support/black-box/server-process';
import { masterKeyHex, saltHex } from '@latchkey/support/black-box/target';
import { unique } from '@latchkey/support/black-box/unique';
import { type KmsStandIn, startKmsStandIn } from '@latchkey/support/custody/kms-stand-in';
import { startVaultStandIn, type VaultStandIn } from '@latchkey/support/custody/vault-stand-in';
import { runCli } from '@latchkey/support/processes/run-cli';
import { viewerToken } from '@latchkey/support/tokens';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const { MASTER_KEY_HEX, SALT_HEX, ...withoutKey } = complete;
const first = { masterKey: Buffer.from(masterKeyHex, 'hex'), salt: Buffer.from(saltHex, 'hex') };
const second = { masterKey: Buffer.alloc(32, 0xcd), salt: Buffer.alloc(32, 0xef) };
/** HKDF-Extract (RFC 5869 section 2.2). */
const extract = ({ masterKey, salt }: typeof first) => createHmac('sha256', salt).update(masterKey).digest();
const derive = ({ masterKey, salt }: typeof first, info: string) =>
  Buffer.from(hkdfSync('sha256', masterKey, salt, info, 16)).toString('hex');

let vault: VaultStandIn;
let kms: KmsStandIn;

async function begin(keys: { vault: Buffer | null; kms: Buffer | null }): Promise<void> {
  [vault, kms] = [await startVaultStandIn(keys.vault), await startKmsStandIn(keys.kms)];
}
beforeEach(() => begin({ vault: extract(first), kms: extract(second) }));
afterEach(async () => {
  await Promise.all([vault.close(), kms.close()]);
});

/** Version 1 at Vault, version 2 at KMS. */
function bothProviders(): Environment {
  const { MASTER_KEY_PROVIDER, AWS_KMS_KEY_ID, ...place } = kms.env;
  return {
    ...vault.env,
    ...place,
    MASTER_KEY_PROVIDER_V2: MASTER_KEY_PROVIDER,
    AWS_KMS_KEY_ID_V2: AWS_KMS_KEY_ID,
  };
}

async function start(folder: string, env: Environment) {
  const { server, target } = await openInTest(folder, {
    MASTER_KEY_HEX: undefined,
    SALT_HEX: undefined,
    ...env,
  });
  const { client } = target;
  const answerOf = (path: string) => client.get(`/keys/${path}`, ownAdminKey);
  const keyOf = async (path: string) => {
    const { status, bytes } = await answerOf(path);
    return status === 200 ? bytes.toString('hex') : status;
  };
  /** A provider that takes longer than 2 s, on a busy machine, is asked again. */
  const isServed = (path: string, key: string) => eventually(async () => expect(await keyOf(path)).toBe(key));
  return { server, client, keyOf, isServed, answerOf };
}

describe('a master key at AWS KMS and at Vault', () => {
  it('serves the keys of the contract from versions at both, one call for all viewers of a key, and goes on with kept keys while one fails', async () => {
    const folder = makeTestFolder();
    const old = await start(folder, { MASTER_KEY_HEX, SALT_HEX });
    await old.client.post('/api/v1/content', ownAdminKey, { id: 'my-video-001', name: 'old' });
    await endProcess(old.server);

    const node = await start(folder, bothProviders());
    await node.isServed('my-video-001', 'a4ad6589c125682427dbee83eb46259f');
    const { json } = await node.client.post('/api/v1/content', ownAdminKey, { id: 'new', name: 'new' });
    expect(json.content.keyVersion).toBe(2);
    await node.isServed('new/4', derive(second, 'new/4'));
    const ready = async () => (await node.client.get('/ready')).json.dependencies['master-key'];
    expect(await ready()).toEqual({
      status: 'up',
      versions: [1, 2],
      providers: { 1: 'vault-transit', 2: 'aws-kms' },
    });

    const viewers = Array.from({ length: 200 }, () =>
      viewerToken(Buffer.from(complete.AUTH_JWT_SECRET), unique('viewer')),
    );
    const calls = await callsOf(node.server);
    const served = await askAsPlayers(node.client, '/keys/new/5', viewers);
    expect(served).toEqual(new Set([derive(second, 'new/5')]));
    expect((await callsOf(node.server)) - calls).toBe(1);

    const failures = [
      () => kms.fail({ code: 'ThrottlingException', status: 400 }),
      () => kms.fail('silence'),
    ];
    for (const [index, fail] of failures.entries()) {
      fail();
      const refused = await node.answerOf(`new/${10 + index}`);
      expect([refused.status, refused.code]).toEqual([503, 'DEPENDENCY_UNAVAILABLE']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
      expect(await node.keyOf('new/5')).toBe(derive(second, 'new/5'));
      expect(await node.keyOf(`my-video-001/${10 + index}`)).toBe(
        derive(first, `my-video-001/${10 + index}`),
      );
    }
    expect(await ready()).toMatchObject({ status: 'degraded', unavailable: 2 });
    expect(node.server.stderr()).toContain('the master key of version 2 is at aws-kms');
    kms.fail(null);
    await node.isServed('new/10', derive(second, 'new/10'));
    await eventually(async () => expect((await ready()).status).toBe('up'));

    // Credentials that have expired.
    vault.endTokens();
    expect(await node.keyOf('my-video-001/99')).toBe(503);
    expect(await node.keyOf('my-video-001')).toBe('a4ad6589c125682427dbee83eb46259f');
    const output = node.server.stdout() + node.server.stderr();
    for (const secret of [vault.env.VAULT_TOKEN, kms.env.AWS_SECRET_ACCESS_KEY])
      expect(output).not.toContain(secret);
  });

  it('the key goes there by `latchkey master-key import`, is checked, and another one stops the start', async () => {
    await Promise.all([vault.close(), kms.close()]);
    await begin({ vault: null, kms: null });
    const file = join(makeTestFolder(), 'extracted.key');
    writeFileSync(file, `${extract(first).toString('hex')}\n`);
    const { VAULT_TOKEN: _, ...place } = vault.env;
    const withRole = { ...place, ...vault.appRole };
    const [atVault, atKms] = await Promise.all([
      runCli(['master-key', 'import', '--extracted', file], withRole),
      runCli(['master-key', 'import'], { ...kms.env, MASTER_KEY_HEX, SALT_HEX }),
    ]);
    expect(atVault).toMatch(/^version 1 is stored at vault-transit, fingerprint [0-9a-f]{16}$/);
    expect(atKms).toBe(atVault.replace('vault-transit', 'aws-kms'));
    await expect(runCli(['master-key', 'import', '--extracted', file], withRole)).rejects.toThrow(
      'cannot be used with an existing key',
    );
    const check = (env: Environment) => runCli(['master-key', 'check', '--no-database'], env);
    const inEnvironment = await check({ MASTER_KEY_HEX, SALT_HEX });
    expect(await check(withRole)).toBe(inEnvironment.replace('env', 'vault-transit'));

    const folder = makeTestFolder();
    const node = await start(folder, withRole);
    await node.client.post('/api/v1/content', ownAdminKey, { id: 'film', name: 'film' });
    await node.isServed('film/1', derive(first, 'film/1'));
    await endProcess(node.server);
    await vault.close();
    vault = await startVaultStandIn(extract(second));
    const { code, stderr } = await runToEnd(folder, { ...withoutKey, ...vault.env });
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not the one that this database knows')]);
  });
});
