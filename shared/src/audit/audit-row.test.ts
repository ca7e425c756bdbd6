import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditDetails, AuditEntry } from '../contracts/index.ts';
import { databaseKinds, type TestDatabase } from '../testing/test-database.ts';
import { readNames, toAuditRecord, writeAudits } from './audit-row.ts';

const entryWith = (details: AuditDetails): AuditEntry => ({
  ...{ actor: { kind: 'api-key', id: 'k' }, action: 'content.update', target: 'film', clientIp: null },
  ...{ requestId: null, outcome: 'done', code: null, details },
});

describe.each(databaseKinds(process.env))('a row of the audit on $name', ({ open }) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.close());

  const read = async () =>
    (await database.db.selectFrom('audit').selectAll().orderBy('number').execute()).map(
      (row) => toAuditRecord(row).details,
    );

  test('keeps the reason and what changed, leaves out what stayed, cuts what is long and hides a raw key', async () => {
    const key = `lk_${'0'.repeat(64)}`;
    const changes = {
      name: { before: 'Film', after: `Film ${key}` },
      status: { before: 'active', after: 'active' },
      metadata: {
        before: { [key]: '%22%20quoted' },
        after: { text: 'x'.repeat(970) + key, more: 'x'.repeat(40) },
      },
    };
    await writeAudits(database.db, [entryWith({ reason: 'why', changes }), entryWith({})], 1);
    expect(await read()).toEqual([
      {
        reason: 'why',
        changes: {
          name: { before: 'Film', after: 'Film lk_***' },
          metadata: {
            before: { 'lk_***': '%22%20quoted' },
            after: expect.stringMatching(/^\{"text":"x{970}lk_\*\*\*",.*…$/),
          },
        },
      },
      null,
    ]);
  });

  test('keeps what an act names for its event, apart from the details, and hides a raw key in each name', async () => {
    const key = `lk_${'0'.repeat(64)}`;
    const given = [
      { leaseId: null, viewerId: 'eve content:film', contentId: null },
      { leaseId: null, viewerId: `/play/${key}" content:film`, contentId: 'series' },
    ];
    const entries = given.map((names) => ({ ...entryWith({ reason: 'why' }), names }));
    await writeAudits(database.db, [...entries, { ...entryWith({}), names: given[0] ?? null }], 1);
    expect(await read()).toEqual([{ reason: 'why' }, { reason: 'why' }, null]);
    const rows = await database.db.selectFrom('audit').selectAll().orderBy('number').execute();
    expect(rows.map(readNames)).toEqual([
      given[0],
      { leaseId: null, viewerId: '/play/*** content:film', contentId: 'series' },
      given[0],
    ]);
  });

  test('with details that somebody has broken by hand is shown without them', async () => {
    await writeAudits(database.db, [entryWith({ reason: 'why' })], 1);
    await database.db.updateTable('audit').set({ details: '{"reason":' }).execute();
    expect(await read()).toEqual([null]);
  });
});
