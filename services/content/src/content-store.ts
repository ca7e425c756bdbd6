import type { ContentStatus, Scope } from '@latchkey/shared/contracts';
import {
  type ContentTable,
  countUpTo,
  isPostgres,
  lastCharacter,
  type NamedBy,
  readAside,
} from '@latchkey/shared/db';
import { type Compilable, type Selectable, sql } from 'kysely';
import { type Content, type ContentFields, foldText } from './content.ts';
import type { Database, Transaction } from './own-tables.ts';

const columns = [
  'id',
  'name',
  'status',
  'key_version',
  'key_periods',
  'size_bytes',
  'manifest_key',
  'playlist_url',
  'metadata',
  'created_at',
  'updated_at',
] as const;
type Row = Pick<Selectable<ContentTable>, (typeof columns)[number]>;

const storedPeriods = (periods: Content['keyPeriods']) => (periods === null ? null : JSON.stringify(periods));

export interface ContentFilter {
  status?: ContentStatus | undefined;
  /** Part of a name or an id, in any case. */
  search?: string | undefined;
  /** The contents that exist for a limited API key. */
  within?: NamedBy | undefined;
}

const idColumn = sql.ref('contents.id');

/**
 * @param registrant the scope of the API key that registers it
 * @returns the content, or null if the id is taken: then nothing was written
 */
export async function insertContent(
  tx: Transaction,
  content: Omit<Content, 'updatedAt'>,
  registrant: Scope | null = null,
): Promise<Content | null> {
  const row = await tx
    .insertInto('contents')
    .values({
      id: content.id,
      name: content.name,
      status: content.status,
      key_version: content.keyVersion,
      size_bytes: content.sizeBytes,
      manifest_key: content.manifestKey,
      metadata: JSON.stringify(content.metadata),
      key_periods: storedPeriods(content.keyPeriods),
      playlist_url: content.playlistUrl,
      registrant_scope: registrant,
      search_text: searchTextOf(content.name, content.id),
      created_at: content.createdAt,
      updated_at: content.createdAt,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning(columns)
    .executeTakeFirst();
  return row ? toContent(row) : null;
}

/** Writes the members that are given. @returns null if there is no such content */
export async function updateContent(
  tx: Transaction,
  id: string,
  fields: Partial<ContentFields>,
  now: number,
): Promise<Content | null> {
  const { name, status, keyPeriods, sizeBytes, manifestKey, playlistUrl, metadata } = fields;
  const row = await tx
    .updateTable('contents')
    .set({
      ...(name === undefined ? {} : { name, search_text: searchTextOf(name, id) }),
      ...(status === undefined ? {} : { status }),
      ...(keyPeriods === undefined ? {} : { key_periods: storedPeriods(keyPeriods) }),
      ...(playlistUrl === undefined ? {} : { playlist_url: playlistUrl }),
      ...(sizeBytes === undefined ? {} : { size_bytes: sizeBytes }),
      ...(manifestKey === undefined ? {} : { manifest_key: manifestKey }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      updated_at: now,
    })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirst();
  return row ? toContent(row) : null;
}

export async function findContent(db: Database | Transaction, id: string): Promise<Content | null> {
  const row = await db.selectFrom('contents').select(columns).where('id', '=', id).executeTakeFirst();
  return row ? toContent(row) : null;
}

/** As `findContent`, and on Postgres nobody else changes it until the transaction has ended: on SQLite transactions take turns anyway. */
export async function findContentToChange(tx: Transaction, id: string): Promise<Content | null> {
  const row = await tx
    .selectFrom('contents')
    .select(columns)
    .where('id', '=', id)
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .executeTakeFirst();
  return row ? toContent(row) : null;
}

/** The orders of the list, the usual one first. Each order has an index. */
export const contentOrders = ['-createdAt', 'createdAt', 'name', '-name'] as const;

/** Reads without a delay for other requests: the few contents of a limited API key may be spread over all others. */
function readerOf(db: Database, within: NamedBy | undefined) {
  return <R>(query: Compilable<R> & { execute(): Promise<R[]> }): Promise<R[]> =>
    within ? readAside(db, query) : query.execute();
}

interface ContentRange {
  limit: number;
  offset: number;
  order?: (typeof contentOrders)[number] | undefined;
}

/** Newest first, or in the order given. @returns the page, and how many there are in all */
export async function listContents(
  db: Database,
  filter: ContentFilter,
  { limit, offset, order = '-createdAt' }: ContentRange,
): Promise<{ contents: Content[]; total: number }> {
  const { status, search, within } = filter;
  let matching = db.selectFrom('contents');
  if (within !== undefined) matching = matching.where(within(idColumn));
  if (status !== undefined) matching = matching.where('status', '=', status);
  if (search !== undefined) {
    matching = matching.where(sql<boolean>`search_text like ${likePattern(search)} escape '\\'`);
  }
  const read = readerOf(db, within);
  const [counted] = await read(matching.select((eb) => eb.fn.countAll<number>().as('total')));
  // Reads the ids first, from an index alone: rows of contents that do not match or come before are not read.
  const direction = order.startsWith('-') ? 'desc' : 'asc';
  const by = order.endsWith('name') ? nameBytes(db) : sql`created_at`;
  const shown = matching
    .select('id')
    .orderBy(by, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset);
  const rows = await read(
    db
      .selectFrom('contents')
      .select(columns)
      .where('id', 'in', shown)
      .orderBy(by, direction)
      .orderBy('id', direction),
  );
  return { contents: rows.map(toContent), total: counted?.total ?? 0 };
}

/** As many as a list of suggestions pages through. */
const beginningsAtMost = 1_000;
/**
 * Contents whose name begins so, in any case, or whose id does, in the order of names: two short walks through an index, however many
 * contents there are.
 *
 * @returns the first ones, and how many there are, counted up to 1,000
 */
export async function findContentsByBeginning(
  db: Database,
  beginning: string,
  limit: number,
  within?: NamedBy,
): Promise<{ contents: Content[]; total: number }> {
  const folded = foldText(beginning);
  const [name, id] = [nameBytes(db), isPostgres(db) ? sql`id collate "C"` : sql`id`];
  const named = db
    .selectFrom('contents')
    .select('id')
    .where(sql<boolean>`${name} >= ${folded} and ${name} < ${folded + lastCharacter}`)
    .$if(within !== undefined, (query) => query.where((within as NamedBy)(idColumn)))
    .orderBy(name);
  const identified = db
    .selectFrom('contents')
    .select('id')
    .where(sql<boolean>`${id} >= ${beginning} and ${id} < ${beginning + lastCharacter}`)
    .$if(within !== undefined, (query) => query.where((within as NamedBy)(idColumn)))
    .orderBy(id);
  const either = (most: number) =>
    db
      .selectFrom(named.limit(most).as('named'))
      .select('id')
      .union(db.selectFrom(identified.limit(most).as('identified')).select('id'));
  const read = readerOf(db, within);
  const rows = await read(
    db.selectFrom('contents').select(columns).where('id', 'in', either(limit)).orderBy(name).limit(limit),
  );
  const contents = rows.map(toContent);
  if (contents.length < limit) return { contents, total: contents.length };
  const counted = db.selectFrom(either(beginningsAtMost).as('either')).select('id');
  return {
    contents,
    total: await countUpTo(db, (most) => counted.limit(most), beginningsAtMost, within !== undefined),
  };
}

/** The contents that exist, in the order of their ids. */
export async function findContentsByIds(
  db: Database,
  ids: readonly string[],
): Promise<{ contents: Content[]; total: number }> {
  if (ids.length === 0) return { contents: [], total: 0 };
  const rows = await db.selectFrom('contents').select(columns).where('id', 'in', ids).orderBy('id').execute();
  return { contents: rows.map(toContent), total: rows.length };
}

/** The folded name as its index sorts it: by bytes on both databases. */
function nameBytes(db: Database) {
  return isPostgres(db) ? sql<string>`search_text collate "C"` : sql<string>`search_text`;
}

/** The highest version of the master key that was ever used; 1 if none was. */
export async function newestKeyVersion(tx: Transaction): Promise<number> {
  const row = await tx
    .selectFrom('key_versions')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 1;
}

function toContent(row: Row): Content {
  return {
    id: row.id,
    name: row.name,
    status: row.status === 'active' ? 'active' : 'disabled',
    keyVersion: row.key_version,
    keyPeriods: row.key_periods ? JSON.parse(row.key_periods) : null,
    sizeBytes: row.size_bytes,
    manifestKey: row.manifest_key,
    playlistUrl: row.playlist_url,
    metadata: JSON.parse(row.metadata),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** A search is one line, so it never matches across the break. */
function searchTextOf(name: string, id: string): string {
  return foldText(`${name}\n${id}`);
}

/** A pattern for a substring. It escapes the wildcards of LIKE. */
function likePattern(search: string): string {
  return `%${foldText(search).replace(/[\\%_]/g, '\\$&')}%`;
}
