import { createMasterKey } from '@latchkey/shared/derivation';
import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkMasterKeys, knownKeyVersions, MasterKeyMismatch } from './master-key-fingerprints.ts';

const first = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 2));
const second = createMasterKey(2, Buffer.alloc(32, 3), Buffer.alloc(32, 4));

describe.each(databaseKinds(process.env))('fingerprints on $name', ({ open }) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  test('the first use is stored, and the same key passes again', async () => {
    await checkMasterKeys(database.db, [first, second], 1);
    await checkMasterKeys(database.db, [first, second], 2);
    expect(await knownKeyVersions(database.db)).toEqual([1, 2]);
  });

  test('another key or another salt under the same version does not pass, and every version that differs is named', async () => {
    await checkMasterKeys(database.db, [first, second], 1);
    const otherSalt = createMasterKey(1, Buffer.alloc(32, 1), Buffer.alloc(32, 9));
    const otherKey = createMasterKey(2, Buffer.alloc(32, 9), Buffer.alloc(32, 4));
    const failure = checkMasterKeys(database.db, [otherSalt, otherKey], 2);
    await expect(failure).rejects.toBeInstanceOf(MasterKeyMismatch);
    await expect(failure).rejects.toThrow(/MASTER_KEY_HEX or SALT_HEX; MASTER_KEY_HEX_V2 or SALT_HEX_V2/);
  });

  test('of two processes that start at once with different keys, one does not pass', async () => {
    const other = createMasterKey(1, Buffer.alloc(32, 7), Buffer.alloc(32, 8));
    const results = await Promise.allSettled([
      checkMasterKeys(database.db, [first], 1),
      checkMasterKeys(database.db, [other], 1),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
