import { createMasterKey, deriveFingerprint } from '@latchkey/shared/derivation';
import { expect, test } from 'vitest';
import { checkMasterKeys, MasterKeyMismatch } from './check-master-keys.ts';
import { createMasterKeyRing } from './master-key-ring.ts';

const first = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
const second = createMasterKey(2, Buffer.alloc(32, 3), Buffer.alloc(32, 4));

test('each version of the master key is compared by its fingerprint, from which no key can be derived', async () => {
  let compared: ReadonlyMap<number, string> = new Map();
  const compare = async (prints: ReadonlyMap<number, string>) => {
    compared = prints;
    return { differing: [], missing: [] };
  };
  await checkMasterKeys(
    { compare },
    createMasterKeyRing([first, second], () => {}),
  );
  expect(compared).toEqual(
    new Map([
      [1, await deriveFingerprint(first)],
      [2, await deriveFingerprint(second)],
    ]),
  );
});

test('master keys that differ from those of their first use are refused, and each version is named with its variables', async () => {
  const compare = async () => ({ differing: [1, 2], missing: [] });
  const failure = checkMasterKeys(
    { compare },
    createMasterKeyRing([first, second], () => {}),
  );
  await expect(failure).rejects.toBeInstanceOf(MasterKeyMismatch);
  await expect(failure).rejects.toThrow(/MASTER_KEY_HEX or SALT_HEX; MASTER_KEY_HEX_V2 or SALT_HEX_V2/);
});

test('versions of the master key that the database knows and this process lacks are warned of and shown, and the start continues', async () => {
  const warnings: string[] = [];
  const ring = createMasterKeyRing([first], (message) => void warnings.push(message));
  await checkMasterKeys({ compare: async () => ({ differing: [], missing: [2, 4] }) }, ring);
  expect(await ring.check()).toEqual({ versions: [1], missing: [2, 4] });
  expect(warnings).toEqual([
    expect.stringMatching(/MASTER_KEY_HEX_V2 and SALT_HEX_V2; MASTER_KEY_HEX_V4 and SALT_HEX_V4/),
  ]);
});
