import {
  type ExportedRange,
  type ImportedKeyBatchReader,
  type ImportedKeyName,
  type ImportedKeyReader,
  type ImportedKeyStore,
  maxEpoch,
} from '@latchkey/shared/contracts';
import { rowList, throwDatabaseFault } from '@latchkey/shared/db';
import { AppError } from '@latchkey/shared/errors';
import { sql } from 'kysely';
import type { Database, Ledger, Transaction } from './own-tables.ts';

/** The `epoch` of the row of a key without one. */
const withoutEpoch = -1;

/** The imported keys for decisions. They are asked for only of a content that has some. */
export function createImportedKeyReader({
  db,
}: {
  db: Database;
}): ImportedKeyReader & ImportedKeyBatchReader {
  async function findImportedKeys(names: readonly ImportedKeyName[]): Promise<(string | null)[]> {
    const rows = await findRows(db, names).catch(throwDatabaseFault);
    const found = new Map(rows.map((row) => [row.place, row.wrapped_key]));
    return names.map((_, place) => found.get(place) ?? null);
  }

  return {
    findImportedKeys,
    findImportedKey: async (name) => (await findImportedKeys([name]))[0] ?? null,
  };
}

/** Stores imported keys. Each is wrapped under the master key, which this service does not have. */
export function createImportedKeyStore({ ledger }: { ledger: Ledger }): ImportedKeyStore {
  return {
    changeKey({ contentId, epoch, wrappedKey }, { facts }) {
      return ledger.write(async ({ tx, now, change, audit }) => {
        // First, so that changes of the keys of one content take turns.
        if (!(await raiseRevision(tx, contentId))) throw new AppError('CONTENT_NOT_FOUND');
        if (wrappedKey === null) await removeRow(tx, { contentId, epoch });
        else await putRow(tx, { contentId, epoch, wrappedKey }, now);
        await change({ kind: 'content', contentId });
        const action = wrappedKey === null ? 'content.remove-key' : 'content.import-key';
        await audit({ ...facts, action, target: contentId, outcome: 'done', code: null });
      });
    },
    exportKeys(contentId, range, { facts }) {
      return ledger.write(async ({ tx, audit }) => {
        await audit({
          ...facts,
          action: 'content.export-keys',
          target: contentId,
          outcome: 'done',
          code: null,
        });
        return readRange(tx, contentId, range);
      });
    },
  };
}

const epochOf = ({ epoch }: Pick<ImportedKeyName, 'epoch'>) => epoch ?? withoutEpoch;

function findRows(db: Database, names: readonly ImportedKeyName[]) {
  const asked = names.map((name) => ({ asked_content: name.contentId, asked_epoch: epochOf(name) }));
  const given = rowList(db, { asked_content: 'text', asked_epoch: 'bigint' } as const, asked).as('given');
  return db
    .selectFrom(given)
    .innerJoin('imported_keys', (join) =>
      join.onRef('content_id', '=', 'given.asked_content').onRef('epoch', '=', 'given.asked_epoch'),
    )
    .select(['given.place', 'wrapped_key'])
    .execute();
}

/** @returns whether the content exists */
async function raiseRevision(tx: Transaction, contentId: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('contents')
    .set({ imported_keys_revision: sql`coalesce(imported_keys_revision, 0) + 1` })
    .where('id', '=', contentId)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function putRow(
  tx: Transaction,
  { wrappedKey, ...name }: ImportedKeyName & { wrappedKey: string },
  now: number,
): Promise<void> {
  await tx
    .insertInto('imported_keys')
    .values({
      content_id: name.contentId,
      epoch: epochOf(name),
      wrapped_key: wrappedKey,
      imported_at: now,
    })
    .onConflict((conflict) =>
      conflict.columns(['content_id', 'epoch']).doUpdateSet({ wrapped_key: wrappedKey, imported_at: now }),
    )
    .execute();
}

async function removeRow(tx: Transaction, name: ImportedKeyName): Promise<void> {
  await tx
    .deleteFrom('imported_keys')
    .where('content_id', '=', name.contentId)
    .where('epoch', '=', epochOf(name))
    .execute();
}

async function readRange(tx: Transaction, contentId: string, range: ExportedRange) {
  const [first, last, limit] =
    'first' in range
      ? [range.first, range.last, range.last - range.first + 1]
      : [range.from ?? withoutEpoch, maxEpoch, range.limit];
  const rows = await tx
    .selectFrom('imported_keys')
    .where('content_id', '=', contentId)
    .where('epoch', '>=', first)
    .where('epoch', '<=', last)
    .orderBy('epoch')
    .limit(limit)
    .select(['epoch', 'wrapped_key'])
    .execute();
  return rows.map(({ epoch, wrapped_key: wrappedKey }) => ({
    epoch: epoch === withoutEpoch ? null : epoch,
    wrappedKey,
  }));
}
