import { type ChainName, chainOf } from '@latchkey/shared/audit';
import type { Clock } from '@latchkey/shared/clock';
import { createTableCheck, getAsideWriter, inUnsyncedTransaction, runPaced } from '@latchkey/shared/db';
import { cutAudit } from './cut-audit.ts';
import type { Database, Transaction } from './own-tables.ts';

const dayMs = 86_400_000;

/** How long rows are kept, in days; 0 keeps them always. */
interface AuditRetention {
  /** What was done. */
  actsDays: number;
  /** What an API key or a viewer was refused. */
  refusalsDays: number;
  /** What was refused without a valid credential. */
  strangersDays: number;
}

type Kind = keyof AuditRetention;

const chainOfKind: Record<Kind, ChainName> = {
  actsDays: 'acts',
  refusalsDays: 'refusals',
  strangersDays: 'strangers',
};

/** The last row that was checked for a kind: a process reads each kept row once. */
interface Place {
  at: number;
  number: number;
}

interface AuditPurge {
  /**
   * Removes the rows that are past their retention, a few at a time.
   *
   * @returns how many
   */
  run(): Promise<number>;
  /** Lets a run end after its present step. */
  stop(): void;
}

export function createAuditPurge({
  db,
  clock,
  retention,
}: {
  db: Database;
  clock: Clock;
  retention: AuditRetention;
}): AuditPurge {
  const beginning = { at: -1, number: 0 };
  const places: Record<Kind, Place> = {
    actsDays: beginning,
    refusalsDays: beginning,
    strangersDays: beginning,
  };
  const aside = getAsideWriter(db);
  const stopping = new AbortController();
  const chained = createTableCheck('audit_chains');

  async function purgeKind(kind: Kind): Promise<number> {
    const days = retention[kind];
    if (days === 0) return 0;
    const before = clock.now() - days * dayMs;
    let removed = 0;
    const chain = chainOfKind[kind];
    // Before migration 0008 there are no chains.
    if (await chained.isThere(db)) {
      const step = async (limit: number) => {
        const count = await cutAudit(db, chain, { before, now: clock.now(), limit });
        removed += count;
        return count > 0;
      };
      await runPaced(db, { clock, signal: stopping.signal, step, isAside: aside !== null });
      return removed;
    }
    const step = async (limit: number) => {
      const rows = await readAfter(db, places[kind], before, limit);
      const last = rows.at(-1);
      if (!last) return false;
      const due = rows.filter((row) => chainOf(row) === chain).map(({ number }) => number);
      if (due.length > 0) await remove(due);
      removed += due.length;
      places[kind] = { at: last.at, number: last.number };
      return true;
    };
    await runPaced(db, { clock, signal: stopping.signal, step, isAside: aside !== null });
    return removed;
  }

  async function remove(numbers: number[]): Promise<void> {
    const removeFrom = (rows: Database | Transaction) =>
      rows.deleteFrom('audit').where('number', 'in', numbers).execute();
    await (aside ? removeFrom(aside) : inUnsyncedTransaction(db, removeFrom));
  }

  return {
    async run() {
      let removed = 0;
      for (const kind of Object.keys(places) as Kind[]) removed += await purgeKind(kind);
      return removed;
    },
    stop() {
      stopping.abort();
    },
  };
}

/** Reads by the index of times, whatever the kind, so that a statement never reads more rows than the limit. */
function readAfter(db: Database, place: Place, before: number, limit: number) {
  return db
    .selectFrom('audit')
    .select(['number', 'at', 'actor_kind', 'outcome'])
    .where('at', '<', before)
    .where((eb) => eb(eb.refTuple('at', 'number'), '>', eb.tuple(place.at, place.number)))
    .orderBy('at')
    .orderBy('number')
    .limit(limit)
    .execute();
}
