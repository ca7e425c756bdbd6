import { sql } from 'kysely';
import type { Database } from '../../db/index.ts';
import { ChainCheck } from './chain-check.ts';
import { type ChainName, chainNames } from './entry-hash.ts';
import { readPlaces } from './read-places.ts';
import type { ChainHead, VerifiedChain, VerifyOptions } from './verification.ts';

/** Some 500 KB in memory. */
const placesPerPage = 1_000;
/** Rows outside of every chain that are named one by one. */
const mostNamed = 1_000;

interface Verification {
  chains: VerifiedChain[];
  /** Rows that are not chained yet. */
  waiting: number;
}

/** Checks the whole audit against its chains, in constant memory and beside a running server. */
export async function verifyAudit(options: VerifyOptions): Promise<Verification> {
  const { db, onFinding } = options;
  const chains: VerifiedChain[] = [];
  for (const chain of chainNames) chains.push(await verifyChain(chain, options));
  const { rows } = await sql<{ number: number }>`
    select number from audit where number <= (select sealed_to from audit_sealing) and ${isUnchained}
    order by number limit ${mostNamed}`.execute(db);
  for (const { number } of rows)
    onFinding(
      `row ${number} is in no chain: its place was removed, or the row was written past the services`,
    );
  const waiting = await sql<{ count: number }>`
    select count(*) as count from audit where number > (select sealed_to from audit_sealing) and ${isUnchained}`.execute(
    db,
  );
  return { chains, waiting: Number(waiting.rows[0]?.count ?? 0) };
}

const isUnchained = sql`not exists (select 1 from audit_entries where audit_entries.number = audit.number)`;

async function verifyChain(chain: ChainName, options: VerifyOptions): Promise<VerifiedChain> {
  const { db } = options;
  const end = await readHead(db, chain);
  const check = new ChainCheck(chain, { ...options, end });
  while (check.place < end.place) {
    const page = await readPlaces(db, chain, { after: check.place, upTo: end.place, limit: placesPerPage });
    const isWhole = page[0]?.place === check.place + 1 && page.every(({ row }) => row !== null);
    if (!isWhole) {
      // The retention may have cut the chain meanwhile.
      const now = await readHead(db, chain);
      if (now.cutPlace > check.place) {
        check.cutTo(now);
        continue;
      }
    }
    if (page.length === 0) break;
    for (const place of page) check.add(place);
  }
  return check.end();
}

async function readHead(db: Database, chain: ChainName): Promise<ChainHead> {
  const row = await db.selectFrom('audit_chains').selectAll().where('chain', '=', chain).executeTakeFirst();
  return {
    place: row?.place ?? 0,
    hash: row?.hash ?? '',
    cutPlace: row?.cut_place ?? 0,
    cutHash: row?.cut_hash ?? '',
    cutAt: row?.cut_at ?? null,
    cutNewest: row?.cut_newest ?? null,
  };
}
