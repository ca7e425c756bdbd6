import { createMasterKey } from '@latchkey/shared/derivation';
import { expect, test } from 'vitest';
import { createMasterKeyRing } from './master-key-ring.ts';

const first = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));

test('a missing version of the master key is warned of once, with its variables, whether the start or a request found it', () => {
  const warnings: string[] = [];
  const ring = createMasterKeyRing([first], (message) => void warnings.push(message));
  expect(ring.find(1)).toBe(first);
  expect(warnings).toEqual([]);
  for (let start = 0; start < 2; start++) ring.noteMissing([2]);
  expect(ring.find(2)).toBeNull();
  expect(warnings).toEqual([expect.stringContaining('Set MASTER_KEY_HEX_V2 and SALT_HEX_V2')]);
  for (let request = 0; request < 2; request++) expect(ring.find(10)).toBeNull();
  expect(warnings.slice(1)).toEqual([expect.stringContaining('Set MASTER_KEY_HEX_V10 and SALT_HEX_V10')]);
});
