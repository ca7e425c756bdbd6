import { sql } from 'kysely';
import type { Clock } from '../../clock/clock.ts';
import {
  createTableCheck,
  type Database,
  getAsideWriter,
  inTransaction,
  inUnsyncedTransaction,
  isPostgres,
  readAside,
  rowList,
  runPaced,
  type Transaction,
  tryLockSubject,
} from '../../db/index.ts';
import { type ChainName, chainOf, hashPlace, type SealedRow } from './entry-hash.ts';

/** A group of refusals is counted for a minute, and its number is written a second later. The rest is for clocks that differ. */
const countedForMs = 120_000;
/**
 * A row of Postgres gets its number before its transaction ends, so a lower number may become visible after a higher one. No
 * transaction of a service lives longer than its statements' 4 s (`postgres-session.ts`).
 */
const invisibleForMs = 30_000;
/** Final rows that are not newer than the newest chained one: groups of refusals, and acts whose leases were being written. */
const sweepEveryMs = 5_000;
/** More groups than two processes can leave open. */
const sweptAtOnce = 1_000;
/** Makes those that chain take turns, without anyone waiting. */
const subject = 'audit-chain';

export interface AuditSealer {
  /**
   * Chains every row that is final, a few in each transaction.
   *
   * @returns how many
   */
  run(): Promise<number>;
  /** Lets a run end after its present step. */
  stop(): void;
}

interface SealerOptions {
  db: Database;
  clock: Clock;
  /** `AUDIT_CHAIN_SECRET` */
  secret: Buffer | null;
}

/**
 * Chains the rows of the audit behind the requests that write them: a request never waits for another one's row. Any number of
 * processes may run it, and one works at a time. Does nothing before migration 0008, and while `cleanAudit` still changes rows.
 *
 * New rows are read from the last one on. Older ones that became final later are looked for now and then, among all from
 * `sealed_to` on: on SQLite on the other thread, because there may be many.
 */
export function createAuditSealer({ db, clock, secret }: SealerOptions): AuditSealer {
  const chained = createTableCheck('audit_chains');
  const stopping = new AbortController();
  const aside = getAsideWriter(db);
  /** Every row up to this number was looked at; null before the first run. */
  let seenTo: number | null = null;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  /** The same while new rows are chained, among those that were passed. */
  let passedAtMs = clock.monotonic();
  let sealed = 0;

  /** Runs a part in one transaction. On Postgres the others skip their turn. */
  function inTurn(part: (work: Step) => Promise<number>): Promise<number> {
    const now = clock.now();
    if (!isPostgres(db)) return inUnsyncedTransaction(db, (tx) => part({ from: tx, to: tx, secret, now }));
    return inTransaction(db, async (tx) =>
      (await tryLockSubject(tx, subject)) ? part({ from: tx, to: tx, secret, now }) : 0,
    );
  }

  async function sealNew(limit: number): Promise<number> {
    const after = seenTo ?? (await readSealedTo(db));
    const part = async (work: Step) => {
      const rows = await readNewRows(work.from, after, limit);
      sealed += await appendAll(
        work,
        rows.filter((row) => !row.waits),
      );
      // Where the transaction fails after this, the sweep finds the rows.
      seenTo = rows.at(-1)?.number ?? after;
      return rows.length;
    };
    // Nobody changes a row without a count. So on SQLite it is read here and chained on the other thread.
    return aside ? part({ from: db, to: aside, secret, now: clock.now() }) : inTurn(part);
  }

  /** @param upTo looks at no later rows; null for all */
  async function sweep(upTo: number | null): Promise<number> {
    const open = await readOpenNumbers(db, upTo);
    return inTurn(async (work) => {
      const rows = await readFinalRows(work, open);
      sealed += await appendAll(work, rows);
      await noteSealed(work, { open, sealed: new Set(rows.map(({ number }) => number)), upTo });
      return rows.length;
    });
  }

  async function step(limit: number): Promise<number> {
    const count = await sealNew(limit);
    const now = clock.monotonic();
    if (count > 0) {
      if (now - passedAtMs < sweepEveryMs) return count;
      passedAtMs = now;
      // A start in a long backlog begins where this has come to. Otherwise its first statement would pass over every chained row: of
      // two million for 0.7 s, in which SQLite answers nobody.
      return count + (await sweep(seenTo));
    }
    if (now - sweptAtMs < sweepEveryMs) return 0;
    sweptAtMs = now;
    return sweep(null);
  }

  return {
    async run() {
      if (!(await chained.isThere(db)) || (await isBeingCleaned(db))) return 0;
      sealed = 0;
      await runPaced(db, {
        clock,
        signal: stopping.signal,
        isAside: aside !== null,
        step: async (limit) => (await step(limit)) > 0,
      });
      return sealed;
    },
    stop: () => stopping.abort(),
  };
}

type Rows = Database | Transaction;

/** One step: where it reads, where it writes, and the time of its places. */
interface Step {
  from: Rows;
  to: Rows;
  secret: Buffer | null;
  now: number;
}

async function isBeingCleaned(db: Database): Promise<boolean> {
  const { rows } = await sql`select 1 from audit_cleaning where done_to < last limit 1`.execute(db);
  return rows.length > 0;
}

async function readSealedTo(db: Database): Promise<number> {
  const row = await db.selectFrom('audit_sealing').select('sealed_to').executeTakeFirst();
  return row?.sealed_to ?? 0;
}

const isUnchained = sql<boolean>`not exists (select 1 from audit_entries where audit_entries.number = audit.number)`;

/** Whether the number of leases of an act is still to come. In the statement that reads the row: both are of one instant. */
const waits = sql<
  number | boolean
>`exists (select 1 from revocations where finished_at is null and audit_number = audit.number)`.as('waits');

/** Rows that are not counts. */
function readNewRows(from: Rows, after: number, limit: number) {
  return (
    from
      .selectFrom('audit')
      .selectAll('audit')
      .select(waits)
      .where('number', '>', after)
      .where('count', 'is', null)
      .where(isUnchained)
      .orderBy('number')
      .limit(limit)
      // The number of leases waits for this transaction.
      .$if(isPostgres(from), (query) => query.forUpdate())
      .execute()
  );
}

/** Rows that no chain has, from `sealed_to` on. */
async function readOpenNumbers(db: Database, upTo: number | null): Promise<number[]> {
  const rows = await readAside(
    db,
    db
      .selectFrom('audit')
      .select('number')
      .where('number', '>', (eb) => eb.selectFrom('audit_sealing').select('sealed_to'))
      .$if(upTo !== null, (query) => query.where('number', '<=', upTo))
      .where(isUnchained)
      .orderBy('number')
      .limit(sweptAtOnce),
  );
  return rows.map(({ number }) => Number(number));
}

/** Those of the rows that nobody changes any more and that are still in no chain. */
async function readFinalRows({ from, now }: Step, numbers: readonly number[]): Promise<SealedRow[]> {
  if (numbers.length === 0) return [];
  const rows = await from
    .selectFrom('audit')
    .selectAll('audit')
    .select(waits)
    .where('number', 'in', numbers)
    .where(isUnchained)
    .where((eb) => eb.or([eb('count', 'is', null), eb('at', '<', now - countedForMs)]))
    .orderBy('number')
    // A process that writes a count waits for this transaction, and then finds the row chained.
    .$if(isPostgres(from), (query) => query.forUpdate())
    .execute();
  return rows.filter((row) => !row.waits);
}

/** @returns how many */
async function appendAll(work: Step, rows: readonly SealedRow[]): Promise<number> {
  for (const [chain, own] of Map.groupBy(rows, chainOf)) await append(work, chain, own);
  return rows.length;
}

async function append(
  { from, to, secret, now }: Step,
  chain: ChainName,
  rows: readonly SealedRow[],
): Promise<void> {
  let { place, hash } = await readEnd(from, chain);
  const entries = rows.map((row) => {
    place += 1;
    hash = hashPlace({ chain, place, previous: hash, row }, secret);
    return { chain, own_place: place, number: row.number, hash, sealed_at: now };
  });
  const given = rowList(to, entryColumns, entries).as('given');
  await to
    .insertInto('audit_entries')
    .columns(['chain', 'place', 'number', 'hash', 'sealed_at'])
    .expression(to.selectFrom(given).select(['chain', 'own_place', 'number', 'hash', 'sealed_at']))
    .execute();
  await to.updateTable('audit_chains').set({ place, hash }).where('chain', '=', chain).execute();
}

/** A list of rows has a `place` of its own. */
const entryColumns = {
  chain: 'text',
  own_place: 'bigint',
  number: 'bigint',
  hash: 'text',
  sealed_at: 'bigint',
} as const;

/** On the other thread each statement is a transaction: after a crash between two, the places are further than the stored end. */
async function readEnd(from: Rows, chain: ChainName): Promise<{ place: number; hash: string }> {
  const stored = await from
    .selectFrom('audit_chains')
    .select(['place', 'hash'])
    .where('chain', '=', chain)
    .executeTakeFirstOrThrow();
  const last = await from
    .selectFrom('audit_entries')
    .select(['place', 'hash'])
    .where('chain', '=', chain)
    .orderBy('place', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last && last.place > stored.place ? last : stored;
}

interface Swept {
  /** What no chain had before this step. */
  open: readonly number[];
  /** What this step has chained. */
  sealed: ReadonlySet<number>;
  /** The last row that was looked at; null for all. */
  upTo: number | null;
}

/** Stores the number up to which every row is chained, so that no sweep looks at older ones again. */
async function noteSealed({ from, to, now }: Step, { open, sealed, upTo }: Swept): Promise<void> {
  const state = await from.selectFrom('audit_sealing').selectAll().executeTakeFirstOrThrow();
  const first = open.find((number) => !sealed.has(number));
  // Of the chained ones: a row that was written since `open` was read must not be skipped.
  const last =
    open.length < sweptAtOnce
      ? Math.min(await readLastChained(from), upTo ?? Number.POSITIVE_INFINITY)
      : (open.at(-1) ?? 0);
  const reached = first === undefined ? Math.max(last, state.next_to) : first - 1;
  // SQLite has one writer at a time, so no lower number follows.
  const isImmediate = !isPostgres(from);
  if (!isImmediate && now - state.next_at < invisibleForMs) return;
  const sealedTo = isImmediate ? reached : Math.min(state.next_to, reached);
  if (sealedTo === state.sealed_to && reached === state.next_to) return;
  await to
    .updateTable('audit_sealing')
    .set({ sealed_to: sealedTo, next_to: reached, next_at: now })
    .where('id', '=', 1)
    .execute();
}

async function readLastChained(from: Rows): Promise<number> {
  const row = await from
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.max<number | null>('number').as('last'))
    .executeTakeFirst();
  return Number(row?.last ?? 0);
}
