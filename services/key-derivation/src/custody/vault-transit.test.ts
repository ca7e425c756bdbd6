import { createHmac, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VaultLogin } from '@latchkey/shared/config';
import { Secret } from '@latchkey/shared/config';
import { startVaultStandIn, type VaultStandIn } from '@latchkey/support/custody/vault-stand-in';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openVaultTransit } from './vault-transit.ts';

type Settings = Parameters<ReturnType<typeof openVaultTransit>['open']>[0];

const key = randomBytes(32);
const message = Buffer.from('film/7\x01');
const expected = createHmac('sha256', key).update(message).digest();
let vault: VaultStandIn;
let provider: ReturnType<typeof openVaultTransit>;

const settingsWith = (login: VaultLogin): Settings => ({
  version: 1,
  provider: 'vault-transit',
  address: `${vault.url}/`,
  namespace: undefined,
  caFile: undefined,
  mount: 'transit',
  keyName: 'latchkey-1',
  login,
});
const withToken = (token = vault.env.VAULT_TOKEN ?? '', tokenFile?: string) =>
  settingsWith({ token: new Secret(token), tokenFile });
const withRole = (secretId = vault.appRole.VAULT_SECRET_ID ?? '') =>
  settingsWith({ roleId: vault.appRole.VAULT_ROLE_ID ?? '', secretId: new Secret(secretId) });
const ask = (settings = withToken(), signal = AbortSignal.timeout(2_000)) =>
  provider.open(settings).mac(message, signal);

beforeEach(async () => {
  vault = await startVaultStandIn(key);
  provider = openVaultTransit();
});
afterEach(async () => {
  await provider.close();
  await vault.close();
});

describe('a key of the transit engine', () => {
  it('computes the HMAC of the message with its first version, also after it was rotated', async () => {
    expect(await ask()).toEqual(expected);
    vault.rotate();
    expect(await ask()).toEqual(expected);
  });

  it.each([
    [429, 'throttled', { retryAfterMs: 3_000 }],
    [500, 'away', {}],
    [503, 'away', {}],
    [473, 'away', {}],
    [307, 'away', {}],
    [400, 'refused', {}],
  ])('%i is %s, with what Vault says of it', async (status, kind, more) => {
    vault.fail({ status, errors: ['as the test\nasks'], headers: { 'retry-after': '3' } });
    const fault = await ask().catch((error) => error);
    expect(fault).toMatchObject({ name: 'CustodianFault', kind, ...more });
    expect(fault.message).toContain(`Vault answered ${status}: as the test asks`);
    expect(fault.message).not.toContain(vault.env.VAULT_TOKEN);
  });

  it.each(['vault:v2:', 'vault:v1:', ''])('an HMAC that begins with %j is refused', async (start) => {
    const bytes = start === 'vault:v1:' ? 20 : 32;
    vault.fail({ hmac: `${start}${randomBytes(bytes).toString('base64')}` });
    await expect(ask()).rejects.toMatchObject({ kind: 'refused' });
  });

  it('silence ends with the signal, and a Vault that does not listen is away', async () => {
    vault.fail('silence');
    await expect(ask(withToken(), AbortSignal.timeout(50))).rejects.toMatchObject({ name: 'TimeoutError' });
    await vault.close();
    await expect(ask()).rejects.toMatchObject({ kind: 'away', message: expect.stringContaining(vault.url) });
  });
});

describe('the token of a process', () => {
  it('the token of a file is read again when it is refused', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-vault-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'token');
    writeFileSync(file, `${vault.makeToken()}\n`);
    const settings = withToken('as it was at the start', file);
    expect(await ask(settings)).toEqual(expected);
    vault.endTokens();
    await expect(ask(settings)).rejects.toMatchObject({ kind: 'refused' });
    writeFileSync(file, vault.makeToken());
    expect(await ask(settings)).toEqual(expected);
    writeFileSync(file, '');
    vault.endTokens();
    await expect(ask(settings)).rejects.toMatchObject({
      kind: 'away',
      message: expect.stringContaining(file),
    });
  });

  it('AppRole gives one for all calls that wait, and another one when it has ended', async () => {
    const settings = withRole();
    const askOften = () => Promise.all(Array.from({ length: 20 }, () => ask(settings)));
    expect(new Set((await askOften()).map(String))).toEqual(new Set([String(expected)]));
    expect(vault.logins()).toBe(1);
    vault.endTokens();
    await askOften();
    expect(vault.logins()).toBe(2);
  });

  it('a wrong secret of the role is refused, and not shown', async () => {
    const fault = await ask(withRole('never shown')).catch((error) => error);
    expect(fault).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('invalid role or secret ID'),
    });
    expect(String(fault)).not.toContain('never shown');
  });
});

describe('the import of a key into the transit engine', () => {
  it('sends it wrapped for Vault, and then the engine computes with it', async () => {
    await vault.close();
    vault = await startVaultStandIn(null);
    await expect(ask()).rejects.toMatchObject({ kind: 'refused' });
    await provider.importKey(withToken(), key);
    expect(await ask()).toEqual(expected);
    await expect(provider.importKey(withToken(), key)).rejects.toThrow('cannot be used with an existing key');
  });
});
