import { sql } from 'kysely';
import type { Clock } from '../../clock/clock.ts';
import {
  createTableCheck,
  type Database,
  inTransaction,
  inUnsyncedTransaction,
  isPostgres,
  runPaced,
  type Transaction,
  tryLockSubject,
} from '../../db/index.ts';
import { type ChainName, chainOf, hashPlace, type SealedRow, sealedColumns } from './entry-hash.ts';

/** A group of refusals is counted for a minute, and its number is written a second later. The rest is for clocks that differ. */
const countedForMs = 120_000;
/**
 * A row of Postgres gets its number before its transaction ends, so a lower number may become visible after a higher one. No
 * transaction of a service lives longer than its statements' 4 s (`postgres-session.ts`).
 */
const invisibleForMs = 30_000;
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
 * Chains the rows of the audit behind the requests that write them, in the order in which it finds them: a request never waits
 * for another one's row. Any number of processes may run it, and one works at a time. Does nothing before migration 0008, and
 * while `cleanAudit` still changes rows.
 */
export function createAuditSealer({ db, clock, secret }: SealerOptions): AuditSealer {
  const chained = createTableCheck('audit_chains');
  const stopping = new AbortController();

  async function step(limit: number): Promise<number> {
    // A power cut undoes it as a whole, and it is done again.
    const transaction = isPostgres(db) ? inTransaction : inUnsyncedTransaction;
    return transaction(db, async (tx) => {
      if (!(await tryLockSubject(tx, subject)) || (await isBeingCleaned(tx))) return 0;
      const rows = await readFinalRows(tx, clock.now() - countedForMs, limit);
      await appendToChains(tx, rows, { secret, now: clock.now() });
      await noteSealed(tx, clock.now());
      return rows.length;
    });
  }

  return {
    async run() {
      if (!(await chained.isThere(db))) return 0;
      let sealed = 0;
      await runPaced(db, {
        clock,
        signal: stopping.signal,
        async step(limit) {
          const count = await step(limit);
          sealed += count;
          return count > 0;
        },
      });
      return sealed;
    },
    stop: () => stopping.abort(),
  };
}

async function isBeingCleaned(tx: Transaction): Promise<boolean> {
  const { rows } = await sql`select 1 from audit_cleaning where done_to < last limit 1`.execute(tx);
  return rows.length > 0;
}

/** The acts whose number of leases is still to come. */
async function readUnfinished(tx: Transaction): Promise<number[]> {
  const rows = await tx
    .selectFrom('revocations')
    .select('audit_number')
    .where('finished_at', 'is', null)
    .where('audit_number', 'is not', null)
    .execute();
  return rows.map((row) => Number(row.audit_number));
}

/** @param countedBefore groups of refusals that began before this time grow no more */
async function readFinalRows(tx: Transaction, countedBefore: number, limit: number): Promise<SealedRow[]> {
  const unfinished = await readUnfinished(tx);
  const rows = await tx
    .selectFrom('audit')
    .select(sealedColumns)
    .where('number', '>', (eb) => eb.selectFrom('audit_sealing').select('sealed_to'))
    .where(isUnchained)
    .where((eb) => eb.or([eb('count', 'is', null), eb('at', '<', countedBefore)]))
    .$if(unfinished.length > 0, (query) => query.where('number', 'not in', unfinished))
    .orderBy('number')
    .limit(limit)
    // A process that writes a count or a number of leases waits for this transaction, and then finds the row chained.
    .$if(isPostgres(tx), (query) => query.forUpdate())
    .execute();
  // An act that was committed since the first look, with its revocation. It is locked, so its number cannot come meanwhile.
  const later = new Set(await readUnfinished(tx));
  return rows.filter(({ number }) => !later.has(number));
}

const isUnchained = sql<boolean>`not exists (select 1 from audit_entries where audit_entries.number = audit.number)`;

async function appendToChains(
  tx: Transaction,
  rows: readonly SealedRow[],
  { secret, now }: { secret: Buffer | null; now: number },
): Promise<void> {
  for (const [chain, own] of Map.groupBy(rows, chainOf)) await append(tx, chain, own, { secret, now });
}

async function append(
  tx: Transaction,
  chain: ChainName,
  rows: readonly SealedRow[],
  { secret, now }: { secret: Buffer | null; now: number },
): Promise<void> {
  const head = await tx
    .selectFrom('audit_chains')
    .select(['place', 'hash'])
    .where('chain', '=', chain)
    .executeTakeFirstOrThrow();
  let { place, hash } = head;
  const entries = rows.map((row) => {
    place += 1;
    hash = hashPlace({ chain, place, previous: hash, row }, secret);
    return { chain, place, number: row.number, hash, sealed_at: now };
  });
  await tx.insertInto('audit_entries').values(entries).execute();
  await tx.updateTable('audit_chains').set({ place, hash }).where('chain', '=', chain).execute();
}

/** Stores the number up to which every row is chained, so that no run looks at older ones again. */
async function noteSealed(tx: Transaction, now: number): Promise<void> {
  const state = await tx.selectFrom('audit_sealing').selectAll().executeTakeFirstOrThrow();
  const open = await tx
    .selectFrom('audit')
    .select('number')
    .where('number', '>', state.sealed_to)
    .where(isUnchained)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  // Of the chained ones: a row that was written since the look above must not be skipped.
  const { last } = await tx
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.max<number | null>('number').as('last'))
    .executeTakeFirstOrThrow();
  const reached = open ? open.number - 1 : Math.max(Number(last ?? 0), state.next_to);
  // SQLite has one writer at a time, so no lower number follows.
  const isImmediate = !isPostgres(tx);
  if (!isImmediate && now - state.next_at < invisibleForMs) return;
  const sealedTo = isImmediate ? reached : Math.min(state.next_to, reached);
  if (sealedTo === state.sealed_to && reached === state.next_to) return;
  await tx
    .updateTable('audit_sealing')
    .set({ sealed_to: sealedTo, next_to: reached, next_at: now })
    .where('id', '=', 1)
    .execute();
}
