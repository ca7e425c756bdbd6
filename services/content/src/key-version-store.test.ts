import type { KeyVersionRegistry } from '@latchkey/shared/contracts';
import { createManualClock, databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeyVersionRegistry, knownKeyVersions } from './key-version-store.ts';

const first = '00112233445566aa';
const second = '00112233445566bb';

describe.each(databaseKinds(process.env))('key versions on $name', ({ open }) => {
  let database: TestDatabase;
  let registry: KeyVersionRegistry;
  beforeEach(async () => {
    database = await open();
    registry = createKeyVersionRegistry({ db: database.db, clock: createManualClock() });
  });
  afterEach(() => database.close());

  test('the fingerprint of a master key is stored at its first use, and the same key is accepted again', async () => {
    const both = new Map([
      [1, first],
      [2, second],
    ]);
    expect(await registry.compare(both)).toEqual({ differing: [], missing: [] });
    expect(await registry.compare(both)).toEqual({ differing: [], missing: [] });
    expect(await knownKeyVersions(database.db)).toEqual([1, 2]);
  });

  test('each version that was first used with another master key is named', async () => {
    await registry.compare(new Map([[1, first]]));
    const others = new Map([
      [1, second],
      [2, second],
    ]);
    expect(await registry.compare(others)).toEqual({ differing: [1], missing: [] });
  });

  test('each version of the master key that another process has used and this one lacks is named', async () => {
    await registry.compare(
      new Map([
        [1, first],
        [2, second],
        [3, second],
      ]),
    );
    expect(await registry.compare(new Map([[1, first]]))).toEqual({ differing: [], missing: [2, 3] });
    expect(await knownKeyVersions(database.db)).toEqual([1, 2, 3]);
  });

  test('of two processes that start at once with different master keys, one is refused', async () => {
    const results = await Promise.all([
      registry.compare(new Map([[1, first]])),
      registry.compare(new Map([[1, second]])),
    ]);
    expect(results.map(({ differing }) => differing.length).sort()).toEqual([0, 1]);
  });
});
