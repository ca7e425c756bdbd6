import { hashCredential } from '@latchkey/shared/auth';
import type { Database } from '@latchkey/shared/db';
import { createManualClock, databaseKinds } from '@latchkey/shared/testing';
import { expect, it, onTestFinished } from 'vitest';
import { findApiKeyById, insertApiKey } from './api-key-store.ts';
import { createApiKeyVerifier } from './api-key-verifier.ts';

const row = {
  ...{ id: 'one', name: 'one', key_hash: hashCredential('lk_one'), key_prefix: 'lk_one', scope: 'playback' },
  ...{
    created_at: 1,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    metadata: null,
    contents: null,
  },
};

/** A verifier of one API key on SQLite: what is tested here is in memory. */
async function stage() {
  const [sqlite] = databaseKinds({});
  if (!sqlite) throw new Error('there is always SQLite');
  const { db, close } = await sqlite.open();
  onTestFinished(close);
  await insertApiKey(db, row);
  const clock = createManualClock();
  const faults: unknown[] = [];
  const verifierOf = (of: Database) =>
    createApiKeyVerifier({ db: of, clock, bootstrapKeys: [], onFault: (error) => faults.push(error) });
  const lastUse = async () => (await findApiKeyById(db, 'one'))?.last_used_at;
  return { db, clock, faults, verifierOf, lastUse, ...verifierOf(db) };
}

it('a use that another process noted with a clock ahead is not stored in the future', async () => {
  const { clock, noteUse, flush, lastUse } = await stage();
  noteUse('one', clock.now() + 60_000);
  await flush();
  expect(await lastUse()).toBe(clock.now());
});

it('uses of API keys that could not be written are reported, kept and written by the next flush', async () => {
  const { db, clock, faults, verifierOf, lastUse } = await stage();
  let broken = true;
  const flaky = new Proxy(db, {
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

it('uses are kept for a bounded number of API keys, those noted last', async () => {
  const { clock, noteUse, flush, lastUse } = await stage();
  noteUse('one', clock.now());
  for (let n = 0; n < 10_000; n++) noteUse(`other ${n}`, clock.now());
  await flush();
  expect(await lastUse()).toBeNull();
});
