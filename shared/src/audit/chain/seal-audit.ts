import { sql } from 'kysely';
import type { Clock } from '../../clock/clock.ts';
import {
  type Database,
  getAsideWriter,
  inTransaction,
  inUnsyncedTransaction,
  isPostgres,
  rowList,
  runPaced,
  type Transaction,
  tryLockSubject,
} from '../../db/index.ts';
import { type ChainName, chainOf, hashPlace, type SealedRow } from './entry-hash.ts';
import { isUnchained, noteSealed, readOpenNumbers, readSealedTo } from './sealing-progress.ts';

/** A group of refusals is counted for a minute, and its number is written a second later. The rest is for clocks that differ. */
const countedForMs = 120_000;
/** Final rows that are not newer than the newest chained one: groups of refusals, and acts whose leases were being written. */
const sweepEveryMs = 5_000;
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
 * processes may run it, and one works at a time.
 *
 * New rows are read from the last one on. Older ones that became final later are looked for now and then, among all from
 * `sealed_to` on: on SQLite on the other thread, because there may be many.
 */
export function createAuditSealer({ db, clock, secret }: SealerOptions): AuditSealer {
  const stopping = new AbortController();
  const aside = getAsideWriter(db);
  /** Every row up to this number was looked at; null before the first run. */
  let seenTo: number | null = null;
  let sweptAtMs = Number.NEGATIVE_INFINITY;
  /** The same while new rows are chained, among those that were passed. */
  let sweptPassedAtMs = clock.monotonic();
  let sealed = 0;

  const inTurn = (part: (work: Step) => Promise<number>) =>
    runInTurn(db, (tx) => part({ from: tx, to: tx, secret, now: clock.now() }));

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
      if (now - sweptPassedAtMs < sweepEveryMs) return count;
      sweptPassedAtMs = now;
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
      sealed = 0;
      const { signal } = stopping;
      const isAside = aside !== null;
      await runPaced(db, { clock, signal, isAside, step: async (limit) => (await step(limit)) > 0 });
      return sealed;
    },
    stop: () => stopping.abort(),
  };
}

type Rows = Database | Transaction;

/** Runs a part in one transaction. On Postgres the others skip their turn. */
function runInTurn(db: Database, part: (tx: Transaction) => Promise<number>): Promise<number> {
  if (!isPostgres(db)) return inUnsyncedTransaction(db, part);
  return inTransaction(db, async (tx) => ((await tryLockSubject(tx, subject)) ? part(tx) : 0));
}

/** One step: where it reads, where it writes, and the time of its places. */
interface Step {
  from: Rows;
  to: Rows;
  secret: Buffer | null;
  now: number;
}

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
