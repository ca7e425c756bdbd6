import type { MarkState } from '@latchkey/shared/contracts';
import { anyId as any, blockRow, markRow, rowList } from '@latchkey/shared/db';
import { sql } from 'kysely';
import type { Lease } from '../lease.ts';
import {
  coverColumns,
  hasUnfinished,
  inState,
  isCovered,
  isOlderThanRevocation,
  type LeaseExpression,
  leaseColumns,
  toLease,
  toRow,
} from '../lease-row.ts';
import type { Renewal, Revocation } from '../lease-store.ts';
import type { Database, Transaction } from '../own-tables.ts';
import { sessionColumn } from '../session-store.ts';
import { byPair, latestOf, markStatesOf, type Pair, selectorsOf } from './pair-selectors.ts';

export interface DeviceOfPair extends Pair {
  deviceId: string;
}

/** Next to `markRow` and `blockRow`. */
const boundRow = 2;

/** The columns of a new lease. The other columns are empty, and each would be one more list of values to write and to read. */
const newRowTypes = {
  id: 'text',
  viewer_id: 'text',
  content_id: 'text',
  device_id: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
} as const;
const newColumns = Object.keys(newRowTypes) as (keyof typeof newRowTypes)[];

/**
 * Does for many leases what `LeaseStore`, `MarkStore` and `RevocationStore` do for one, with one statement for each method. An empty list costs
 * no statement.
 */
export class ActStore {
  readonly #tx: Database | Transaction;

  constructor(tx: Database | Transaction) {
    this.#tx = tx;
  }

  #select() {
    return this.#tx.selectFrom('leases').select(leaseColumns).select(coverColumns).select(sessionColumn);
  }

  /** A list of texts as a subquery. */
  #listed(values: readonly string[]) {
    const rows = values.map((asked) => ({ asked }));
    return this.#tx.selectFrom(rowList(this.#tx, { asked: 'text' }, rows).as('given')).select('asked');
  }

  async find(ids: readonly string[]): Promise<Map<string, Lease>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#select().where('id', 'in', this.#listed(ids)).execute();
    return new Map(rows.map((row) => [row.id, toLease(row)]));
  }

  /** How many active leases each viewer has, counted up to `upTo`, which bounds what is read. */
  async countActiveOf(viewerIds: readonly string[], now: number, upTo: number): Promise<Map<string, number>> {
    if (viewerIds.length === 0) return new Map();
    const rows = viewerIds.map((asked) => ({ asked }));
    const found = await this.#tx
      .selectFrom(rowList(this.#tx, { asked: 'text' }, rows).as('given'))
      .select((eb) => [
        'given.asked as viewerId',
        eb
          .selectFrom(
            eb
              .selectFrom('leases')
              .select('leases.expires_at')
              .whereRef('leases.viewer_id', '=', 'given.asked')
              .where((own) => this.#isActive(own as unknown as LeaseExpression, now))
              .limit(upTo)
              .as('active'),
          )
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .as('count'),
      ])
      .execute();
    return new Map(found.map(({ viewerId, count }) => [viewerId, count ?? 0]));
  }

  /** The oldest active leases of each viewer, oldest first. @param wanted how many of each viewer */
  async listOldestOf(wanted: ReadonlyMap<string, number>, now: number): Promise<Map<string, Lease[]>> {
    if (wanted.size === 0) return new Map();
    const asked = [...wanted].map(([viewerId, most]) => ({ asked_viewer: viewerId, most }));
    const active = this.#tx
      .selectFrom(rowList(this.#tx, { asked_viewer: 'text', most: 'bigint' } as const, asked).as('given'))
      // In this order: as in `findReusable`.
      .crossJoin('leases')
      .whereRef('leases.viewer_id', '=', 'given.asked_viewer')
      .where((eb) => this.#isActive(eb as unknown as LeaseExpression, now))
      .select([
        'leases.id as id',
        'given.most as most',
        sql<number>`row_number() over (partition by leases.viewer_id order by leases.created_at, leases.id)`.as(
          'nth',
        ),
      ]);
    const ids = this.#tx.selectFrom(active.as('active')).select('active.id').whereRef('nth', '<=', 'most');
    const rows = await this.#select().where('id', 'in', ids).orderBy('created_at').orderBy('id').execute();
    return Map.groupBy(rows.map(toLease), ({ viewerId }) => viewerId);
  }

  /** The active lease for each viewer, content, device and kind, the newest if there are several. By `deviceKey`. */
  async findReusable(devices: readonly DeviceOfPair[], now: number): Promise<Map<string, Lease>> {
    if (devices.length === 0) return new Map();
    const asked = devices.map((device) => ({
      asked_viewer: device.viewerId,
      asked_content: device.contentId,
      asked_device: device.deviceId,
    }));
    const types = { asked_viewer: 'text', asked_content: 'text', asked_device: 'text' } as const;
    const ids = this.#tx
      .selectFrom(rowList(this.#tx, types, asked).as('given'))
      // In this order: SQLite would begin with the leases, of which there may be a million.
      .crossJoin('leases')
      .whereRef('leases.viewer_id', '=', 'given.asked_viewer')
      .whereRef('leases.content_id', '=', 'given.asked_content')
      .whereRef('leases.device_id', '=', 'given.asked_device')
      .where((eb) => this.#isActive(eb as unknown as LeaseExpression, now))
      .select('leases.id');
    const rows = await this.#select().where('id', 'in', ids).orderBy('created_at').orderBy('id').execute();
    return new Map(rows.map(toLease).map((lease) => [deviceKey(lease), lease]));
  }

  #isActive(eb: LeaseExpression, now: number) {
    // The first is asked once for each statement, and nearly always spares the second, which is asked for each row.
    return eb.and([inState(eb, 'active', now), eb.or([eb.not(hasUnfinished(eb)), eb.not(isCovered(eb))])]);
  }

  /** As `findMarkState`, in the order of the pairs. The content of a pair may be any text here, even one with spaces. */
  async listMarks(pairs: readonly Pair[]): Promise<(MarkState | null)[]> {
    if (pairs.length === 0) return [];
    return markStatesOf(pairs, await this.#marksOf(pairs).execute());
  }

  /** The marks and blocks that cover the pairs, each with the place of the selector that names it. */
  #marksOf(pairs: readonly Pair[]) {
    return this.#tx
      .with('given', (db) => db.selectFrom(selectorsOf(this.#tx, pairs)).selectAll())
      .selectFrom('given')
      .crossJoin('marks')
      .whereRef('marks.viewer_id', '=', 'given.asked_viewer')
      .whereRef('marks.content_id', '=', 'given.asked_content')
      .select((eb) => [
        'given.place as place',
        eb.ref('marks.marked_at').$castTo<number | null>().as('at'),
        eb.lit<number>(markRow).as('kind'),
      ])
      .unionAll((db) =>
        db
          .selectFrom('given')
          .crossJoin('viewer_blocks')
          .whereRef('viewer_blocks.viewer_id', '=', 'given.asked_viewer')
          // Once for each pair.
          .where('given.asked_content', '=', any)
          .select((eb) => [
            'given.place as place',
            'viewer_blocks.blocked_until as at',
            eb.lit<number>(blockRow).as('kind'),
          ]),
      );
  }

  /** As `findMarkState`, and the newest creation that a revocation of the viewer, the content or both covers. By `pairKey`, in one statement. */
  async findTimes(
    pairs: readonly Pair[],
  ): Promise<{ marks: Map<string, MarkState>; bounds: Map<string, number> }> {
    if (pairs.length === 0) return { marks: new Map(), bounds: new Map() };
    const found = await this.#marksOf(pairs)
      .unionAll((db) =>
        db.selectFrom('given').select((eb) => [
          'given.place as place',
          // One step in the index, however many revocations of the viewer or the content are kept.
          eb
            .selectFrom('revocations')
            .whereRef('revocations.content_id', '=', 'given.asked_content')
            .whereRef('revocations.viewer_id', '=', 'given.asked_viewer')
            .select(({ fn }) => fn.max<number>('revocations.revoked_up_to').as('latest'))
            .$asScalar()
            .as('at'),
          eb.lit<number>(boundRow).as('kind'),
        ]),
      )
      .execute();
    const [bounds, marks] = [true, false].map((isBound) =>
      found.filter(({ kind }) => (kind === boundRow) === isBound),
    );
    return {
      marks: byPair(pairs, markStatesOf(pairs, marks ?? [])),
      bounds: byPair(pairs, latestOf(pairs, bounds ?? [])),
    };
  }

  /** @param leases as they are created: neither renewed nor revoked */
  async insert(leases: readonly Lease[]): Promise<void> {
    if (leases.length === 0) return;
    const given = rowList(this.#tx, newRowTypes, leases.map(toRow)).as('given');
    await this.#tx
      .insertInto('leases')
      .columns(newColumns)
      .expression(this.#tx.selectFrom(given).select(newColumns))
      .execute();
  }

  /**
   * Renews the leases that may still be renewed when the statement runs, so that a revocation at the same time takes precedence.
   *
   * @returns the renewed leases by id
   */
  async renew(renewals: ReadonlyMap<string, Renewal>): Promise<Map<string, Lease>> {
    if (renewals.size === 0) return new Map();
    const asked = [...renewals].map(([id, { at, expiresAt, expiringAfter }]) => ({
      asked_id: id,
      renewed: at,
      expires: expiresAt,
      expiring_after: expiringAfter,
    }));
    const types = {
      asked_id: 'text',
      renewed: 'bigint',
      expires: 'bigint',
      expiring_after: 'bigint',
    } as const;
    const rows = await this.#tx
      .updateTable('leases')
      .from(rowList(this.#tx, types, asked).as('given'))
      .set((eb) => ({ renewed_at: eb.ref('given.renewed'), expires_at: eb.ref('given.expires') }))
      .whereRef('id', '=', 'given.asked_id')
      .where('revoked_at', 'is', null)
      .whereRef('expires_at', '>', 'given.expiring_after')
      .where((eb) => eb.not(isOlderThanRevocation(eb as unknown as LeaseExpression)))
      .returning(leaseColumns)
      .returning((eb) => sessionColumn(eb as unknown as LeaseExpression))
      .execute();
    return new Map(rows.map((row) => [row.id, toLease(row)]));
  }

  /** @returns by id the leases as they are now, without leases that were revoked before or do not exist */
  async revoke(
    revocations: ReadonlyMap<string, Pick<Revocation, 'reason'>>,
    { at, by }: Pick<Revocation, 'at' | 'by'>,
  ): Promise<Map<string, Lease>> {
    if (revocations.size === 0) return new Map();
    const asked = [...revocations].map(([id, { reason }]) => ({ asked_id: id, asked_reason: reason }));
    const rows = await this.#tx
      .updateTable('leases')
      .from(rowList(this.#tx, { asked_id: 'text', asked_reason: 'text' } as const, asked).as('given'))
      .set((eb) => ({ revoked_at: at, revoked_by: by, reason: eb.ref('given.asked_reason') }))
      .whereRef('id', '=', 'given.asked_id')
      .where('revoked_at', 'is', null)
      .where((eb) => eb.not(isCovered(eb as unknown as LeaseExpression)))
      .returning(leaseColumns)
      .returning((eb) => sessionColumn(eb as unknown as LeaseExpression))
      .execute();
    return new Map(rows.map((row) => [row.id, toLease(row)]));
  }
}

/** A session and the lease of a player are never the same, on one device either. */
export const deviceKey = (asked: Pair & { deviceId: string | null; session?: object | undefined }) =>
  JSON.stringify([asked.contentId, asked.viewerId, asked.deviceId, asked.session !== undefined]);
