import { hashCredential } from '@latchkey/shared/auth';
import type { Database } from '@latchkey/shared/db';
import {
  createManualClock,
  databaseKinds,
  type ManualClock,
  type TestDatabase,
} from '@latchkey/shared/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findApiKeyById, insertApiKey } from './api-key-store.ts';
import { createApiKeyVerifier } from './api-key-verifier.ts';

/** Stands where no database may be asked. */
const untouchable = new Proxy({} as Database, {
  get() {
    throw new Error('the database was asked');
  },
});

const rawKey = `lk_${'ab'.repeat(32)}`;
const row = {
  id: 'one',
  name: 'one',
  key_hash: hashCredential(rawKey),
  key_prefix: rawKey.slice(0, 11),
  scope: 'playback',
  created_at: 1,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

describe('the verifier, without a database', () => {
  const clock = createManualClock();
  const verifier = createApiKeyVerifier({
    db: untouchable,
    clock,
    bootstrapKeys: () => ['the bootstrap key'],
    onFault: () => {},
  });

  it('the verifier accepts the bootstrap key in any form, without a query', async () => {
    const state = { id: null, name: 'bootstrap', scope: 'admin', expiresAt: null, revokedAt: null };
    expect(await verifier.findApiKey(hashCredential('the bootstrap key'), false)).toEqual(state);
    const other = createApiKeyVerifier({
      db: untouchable,
      clock,
      bootstrapKeys: () => [rawKey],
      onFault: () => {},
    });
    expect(await other.findApiKey(hashCredential(rawKey), true)).toEqual(state);
  });

  it('a value that does not have the form of an API key is not looked up', async () => {
    expect(await verifier.findApiKey(hashCredential('anything'), false)).toBeNull();
    expect(await verifier.findApiKey('not even a hash', false)).toBeNull();
  });
});

describe.each(databaseKinds(process.env))('the verifier on $name', (kind) => {
  let opened: TestDatabase;
  let clock: ManualClock;
  let faults: unknown[];
  const verifierOf = (db: Database) =>
    createApiKeyVerifier({ db, clock, bootstrapKeys: () => [], onFault: (error) => faults.push(error) });
  const lastUse = async () => (await findApiKeyById(opened.db, 'one'))?.last_used_at;

  beforeAll(async () => {
    opened = await kind.open();
  });
  beforeEach(async () => {
    clock = createManualClock();
    faults = [];
    await opened.db.deleteFrom('api_keys').execute();
    await insertApiKey(opened.db, row);
  });
  afterAll(() => opened.close());

  it('the latest of many uses of an API key is written by the flush and not before', async () => {
    const verifier = verifierOf(opened.db);
    const now = clock.now();
    for (const usedAt of [now - 3, now - 1, now - 2]) verifier.noteUse('one', usedAt);
    expect(await lastUse()).toBeNull();
    await verifier.flush();
    expect(await lastUse()).toBe(now - 1);
    expect(faults).toEqual([]);
  });

  it('a use that another process noted with a clock ahead is not stored in the future', async () => {
    const verifier = verifierOf(opened.db);
    verifier.noteUse('one', clock.now() + 60_000);
    await verifier.flush();
    expect(await lastUse()).toBe(clock.now());
  });

  it('uses of API keys that could not be written are reported, kept and written by the next flush', async () => {
    let broken = true;
    const flaky = new Proxy(opened.db, {
      get(target, name) {
        if (broken) throw new Error('no database');
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const verifier = verifierOf(flaky);
    verifier.noteUse('one', clock.now() - 9);
    await verifier.flush();
    expect(faults).toHaveLength(1);
    verifier.noteUse('one', clock.now() - 8);
    broken = false;
    await verifier.flush();
    expect(await lastUse()).toBe(clock.now() - 8);
  });

  // The bound is in memory, and writing thousands of uses to Postgres takes seconds.
  it.runIf(kind.name === 'SQLite')(
    'uses are kept for a bounded number of API keys, those noted last',
    async () => {
      const verifier = verifierOf(opened.db);
      verifier.noteUse('one', clock.now());
      for (let n = 0; n < 10_000; n++) verifier.noteUse(`other ${n}`, clock.now());
      await verifier.flush();
      expect(await lastUse()).toBeNull();
    },
  );
});
