import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKeyRow } from './api-key.ts';
import type { ApiKeyFilter } from './api-key-filter.ts';
import {
  findApiKeyByHash,
  findApiKeyById,
  hasApiKeys,
  insertApiKey,
  listApiKeys,
  setApiKeyEnd,
  setLastUsedAt,
} from './api-key-store.ts';

const dayMs = 86_400_000;

function rowOf(id: string, fields: Partial<ApiKeyRow> = {}): ApiKeyRow {
  return {
    ...{ id, name: 'a key', key_hash: `hash of ${id}`, key_prefix: 'lk_01234567', scope: 'full' },
    ...{
      created_at: 1_767_225_600_000,
      expires_at: null,
      revoked_at: null,
      last_used_at: null,
      metadata: null,
      contents: null,
    },
    ...fields,
  };
}

describe.each(databaseKinds(process.env))('the store of API keys on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
  });
  beforeEach(() => opened.db.deleteFrom('api_keys').execute());
  afterAll(() => opened.close());

  it('an API key is found by its id and by its hash, as it was stored', async () => {
    const row = rowOf('a', {
      name: 'Ünï 🎬',
      expires_at: 8_640_000_000_000_000,
      last_used_at: 1,
      metadata: '{"team":"Ünï 🎬"}',
    });
    await insertApiKey(opened.db, row);
    expect(await findApiKeyById(opened.db, 'a')).toEqual(row);
    expect(await findApiKeyByHash(opened.db, 'hash of a')).toEqual(row);
    expect(await findApiKeyById(opened.db, 'b')).toBeUndefined();
    expect(await findApiKeyByHash(opened.db, 'hash of b')).toBeUndefined();
  });

  it('a second API key with the same hash is refused', async () => {
    await insertApiKey(opened.db, rowOf('a'));
    await expect(insertApiKey(opened.db, rowOf('b', { key_hash: 'hash of a' }))).rejects.toThrow();
  });

  it('a revoked API key still counts as a stored one', async () => {
    expect(await hasApiKeys(opened.db)).toBe(false);
    await insertApiKey(opened.db, rowOf('a', { revoked_at: 1 }));
    expect(await hasApiKeys(opened.db)).toBe(true);
  });

  it('a list of API keys is newest first, and pages show each key of the same instant exactly once', async () => {
    for (const id of ['a', 'c', 'b']) await insertApiKey(opened.db, rowOf(id));
    await insertApiKey(opened.db, rowOf('newest', { created_at: 1_767_225_600_001 }));
    const first = await listApiKeys(opened.db, {}, { now: 0, limit: 2, after: null });
    const last = first.at(-1);
    const after = { at: last?.created_at ?? 0, id: last?.id ?? '' };
    const second = await listApiKeys(opened.db, {}, { now: 0, limit: 9, after });
    expect([...first, ...second].map((row) => row.id)).toEqual(['newest', 'c', 'b', 'a']);
  });

  it('ending an API key changes no other key', async () => {
    await insertApiKey(opened.db, rowOf('a'));
    await insertApiKey(opened.db, rowOf('b'));
    await setApiKeyEnd(opened.db, 'a', { expires_at: 5, revoked_at: 6 });
    expect(await findApiKeyById(opened.db, 'a')).toMatchObject({ expires_at: 5, revoked_at: 6 });
    expect(await findApiKeyById(opened.db, 'b')).toMatchObject({ expires_at: null, revoked_at: null });
  });

  it('the last use of an API key moves forward and never back', async () => {
    await insertApiKey(opened.db, rowOf('a'));
    for (const [usedAt, stored] of [
      [5, 5],
      [4, 5],
      [6, 6],
    ] as const) {
      await setLastUsedAt(opened.db, 'a', usedAt);
      expect((await findApiKeyById(opened.db, 'a'))?.last_used_at).toBe(stored);
    }
  });

  it.each<[ApiKeyFilter, string[]]>([
    [{ search: 'ENCODER' }, ['Encoder 100%_\\', 'encoder two']],
    [{ search: '100%_\\' }, ['Encoder 100%_\\']],
    [{ search: '%' }, ['Encoder 100%_\\']],
    [{ search: 'lk_BB' }, ['taken back']],
    [{ search: 'k_b' }, []],
    [{ status: 'active' }, ['Encoder 100%_\\', 'encoder two', 'new']],
    [{ status: 'expired' }, ['over']],
    [{ unusedDays: 90 }, ['encoder two', 'over']],
    [{ unusedDays: 1 }, ['encoder two', 'new', 'over']],
    [{ search: 'encoder', status: 'active', unusedDays: 90 }, ['encoder two']],
  ])('the list of API keys with the filter %o has %o', async (filter, names) => {
    const now = Date.UTC(2026, 5, 1);
    const used = { created_at: now - 100 * dayMs, last_used_at: now };
    for (const [name, fields] of Object.entries({
      'Encoder 100%_\\': { expires_at: now + 13 * dayMs },
      'encoder two': { last_used_at: now - 91 * dayMs },
      over: { expires_at: now, last_used_at: null },
      'taken back': { expires_at: now - 1, revoked_at: now - 1, key_prefix: 'lk_bbbbbbbb' },
      new: { created_at: now - dayMs, last_used_at: null },
    }))
      await insertApiKey(opened.db, rowOf(name, { name, ...used, ...fields }));
    const rows = await listApiKeys(opened.db, filter, { now, limit: 10, after: null });
    expect(rows.map(({ name }) => name).sort()).toEqual(names);
  });
});
