import { createMasterKey } from '@latchkey/shared/derivation';
import { expect, test } from 'vitest';
import { checkMasterKeys, MasterKeyMismatch } from './check-master-keys.ts';
import { createMasterKeyRing } from './master-key-ring.ts';

const first = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
const second = createMasterKey(2, Buffer.alloc(32, 3), Buffer.alloc(32, 4));

test('master keys that differ from the keys of their first use are refused, and each version is named with its variables', async () => {
  const compare = async () => ({ differing: [1, 2], missing: [] });
  const failure = checkMasterKeys(
    { compare },
    createMasterKeyRing([first, second], () => {}),
  );
  await expect(failure).rejects.toBeInstanceOf(MasterKeyMismatch);
  await expect(failure).rejects.toThrow(/MASTER_KEY_HEX or SALT_HEX; MASTER_KEY_HEX_V2 or SALT_HEX_V2/);
});
