import { databaseKinds, type TestDatabase } from '@latchkey/shared/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKeyFilter } from './api-key-filter.ts';
import { insertApiKey, listApiKeys } from './api-key-store.ts';

const now = Date.UTC(2026, 5, 1);
const dayMs = 86_400_000;

describe.each(databaseKinds(process.env))('the filters of API keys on $name', (kind) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await kind.open();
    const add = (id: string, fields: Record<string, unknown>) =>
      insertApiKey(opened.db, {
        id,
        name: id,
        key_hash: id,
        key_prefix: 'lk_aaaaaaaa',
        scope: 'full',
        created_at: now - 100 * dayMs,
        expires_at: null,
        revoked_at: null,
        last_used_at: now,
        ...fields,
      });
    await add('Encoder 100%_\\', { scope: 'upload', expires_at: now + 13 * dayMs });
    await add('encoder two', { expires_at: now + 15 * dayMs, last_used_at: now - 91 * dayMs });
    await add('over', { expires_at: now, last_used_at: null });
    await add('taken back', { expires_at: now - 1, revoked_at: now - 1, key_prefix: 'lk_bbbbbbbb' });
    await add('new', { created_at: now - dayMs, last_used_at: null, scope: 'admin' });
  });
  afterAll(() => opened.close());

  it.each<[ApiKeyFilter, string[]]>([
    [{}, ['Encoder 100%_\\', 'encoder two', 'new', 'over', 'taken back']],
    [{ search: 'ENCODER' }, ['Encoder 100%_\\', 'encoder two']],
    [{ search: '100%_\\' }, ['Encoder 100%_\\']],
    [{ search: '%' }, ['Encoder 100%_\\']],
    [{ search: 'lk_BB' }, ['taken back']],
    [{ search: 'k_b' }, []],
    [{ status: 'active' }, ['Encoder 100%_\\', 'encoder two', 'new']],
    [{ status: 'expired' }, ['over']],
    [{ status: 'revoked' }, ['taken back']],
    [{ scope: 'admin' }, ['new']],
    [{ expires: 'never' }, ['new']],
    [{ expires: 'within-14-days' }, ['Encoder 100%_\\']],
    [{ unusedDays: 90 }, ['encoder two', 'over']],
    [{ unusedDays: 1 }, ['encoder two', 'new', 'over']],
    [{ search: 'encoder', status: 'active', unusedDays: 90 }, ['encoder two']],
  ])('the list of API keys with the filter %o has %o', async (filter, names) => {
    const rows = await listApiKeys(opened.db, filter, { now, limit: 10, after: null });
    expect(rows.map(({ name }) => name).sort()).toEqual(names);
  });
});
