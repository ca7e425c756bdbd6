import { readFileSync } from 'node:fs';
import type { CustodianSettings } from '@latchkey/shared/config';
import { CustodianFault, macBytes, type Provider } from './key-custodian.ts';
import { createVaultClient, type VaultClient } from './vault-client.ts';
import { createVaultLogin, type VaultTokens } from './vault-login.ts';
import { wrapForVault } from './wrap-for-vault.ts';

type VaultTransitSettings = Extract<CustodianSettings, { provider: 'vault-transit' }>;

/** A key that was imported has one version, and is never rotated here: another master key is another version of Latchkey's. */
const keyVersion = 1;
/** The answer of `latchkey master-key import` may take longer than the answer to a key request. */
const importLimitMs = 10_000;

interface Vault {
  client: VaultClient;
  tokens: VaultTokens;
}

/** Custodians on HMAC keys of the transit engine of Vault or OpenBao. All of a process share connections and token. */
export function openVaultTransit(): Provider<VaultTransitSettings> {
  let vault: Vault | null = null;

  /** Address and login are of the process, and the same for every version. */
  function connect({ address, namespace, caFile, login }: VaultTransitSettings): Vault {
    if (vault) return vault;
    const client = createVaultClient({ address, namespace, ca: readCa(caFile) });
    const tokens = createVaultLogin({
      client,
      login,
      after: (ms, work) => {
        const timer = setTimeout(work, ms).unref();
        return () => clearTimeout(timer);
      },
    });
    vault = { client, tokens };
    return vault;
  }

  return {
    open(settings) {
      const { client, tokens } = connect(settings);
      const path = `${settings.mount}/hmac/${settings.keyName}/sha2-256`;
      return {
        async mac(message, signal) {
          const body = { input: Buffer.from(message).toString('base64'), key_version: keyVersion };
          const answer = await tokens.withToken((token) =>
            client.call('POST', path, { token, body, signal }),
          );
          return readMac(answer);
        },
        close: async () => {},
      };
    },
    async importKey(settings, extractedKey) {
      const { client, tokens } = connect(settings);
      const { mount, keyName } = settings;
      const signal = AbortSignal.timeout(importLimitMs);
      await tokens.withToken(async (token) => {
        const answer = await client.call('GET', `${mount}/wrapping_key`, { token, signal });
        const { public_key: publicKey } = dataOf(answer);
        if (typeof publicKey !== 'string') throw strange('has no wrapping key');
        const body = {
          type: 'hmac',
          hash_function: 'SHA256',
          ciphertext: wrapForVault(publicKey, extractedKey),
          // A key in the engine stays there.
          exportable: false,
          allow_plaintext_backup: false,
        };
        await client.call('POST', `${mount}/keys/${keyName}/import`, { token, body, signal });
      });
    },
    async close() {
      vault?.tokens.close();
      await vault?.client.close();
      vault = null;
    },
  };
}

function readCa(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new CustodianFault('refused', `VAULT_CACERT is ${path}, which cannot be read (${code})`, { cause });
  }
}

function dataOf(answer: unknown): Record<string, unknown> {
  return ((answer as { data?: Record<string, unknown> } | null)?.data ?? {}) as Record<string, unknown>;
}

/** `vault:v1:` and the base64 of the MAC. */
function readMac(answer: unknown): Buffer {
  const [, version, text = ''] = /^vault:v(\d+):([A-Za-z0-9+/=]+)$/.exec(String(dataOf(answer).hmac)) ?? [];
  const mac = Buffer.from(text, 'base64');
  if (Number(version) === keyVersion && mac.length === macBytes) return mac;
  throw strange(`gave no HMAC-SHA-256 of version ${keyVersion} of the key`);
}

const strange = (what: string) => new CustodianFault('refused', `Vault ${what}`);
