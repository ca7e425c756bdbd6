import { type ChainName, chainOf } from '@latchkey/shared/audit';
import type { Clock } from '@latchkey/shared/clock';
import {
  createPurgeClock,
  createTableCheck,
  getAsideWriter,
  inUnsyncedTransaction,
  runPaced,
} from '@latchkey/shared/db';
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

interface AuditPurgeOptions {
  db: Database;
  clock: Clock;
  retention: AuditRetention;
  /** See `createPurgeClock`. */
  onClockStep?: ((waitMs: number) => void) | undefined;
  /** Called after each step: what it removed, and how long it may have held its locks. */
  observe?: (table: 'audit', rows: number, heldMs: number) => void;
}

export function createAuditPurge({
  db,
  clock,
  retention,
  observe,
  onClockStep,
}: AuditPurgeOptions): AuditPurge {
  const beginning = { at: -1, number: 0 };
  const places: Record<Kind, Place> = {
    actsDays: beginning,
    refusalsDays: beginning,
    strangersDays: beginning,
  };
  const aside = getAsideWriter(db);
  const readPurgeTime = createPurgeClock({ db, clock, onClockStep });
  const stopping = new AbortController();
  const chained = createTableCheck('audit_chains');
  async function purgeKind(kind: Kind, now: number): Promise<number> {
    const days = retention[kind];
    if (days === 0) return 0;
    const before = now - days * dayMs;
    let removed = 0;
    let last = 0;
    const onStep = (heldMs: number) => observe?.('audit', last, heldMs);
    const chain = chainOfKind[kind];
    // Before migration 0008 there are no chains.
    if (await chained.isThere(db)) {
      const step = async (limit: number) => {
        const count = await cutAudit(db, chain, { before, now: clock.now(), limit });
        removed += count;
        last = count;
        return count > 0;
      };
      await runPaced(db, { clock, signal: stopping.signal, step, isAside: aside !== null, onStep });
      return removed;
    }
    const step = async (limit: number) => {
      last = 0;
      const rows = await readAfter(db, places[kind], before, limit);
      const end = rows.at(-1);
      if (!end) return false;
      const due = rows.filter((row) => chainOf(row) === chain).map(({ number }) => number);
      if (due.length > 0) await remove(due);
      removed += due.length;
      last = due.length;
      places[kind] = { at: end.at, number: end.number };
      return true;
    };
    await runPaced(db, { clock, signal: stopping.signal, step, isAside: aside !== null, onStep });
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
      const now = await readPurgeTime();
      for (const kind of Object.keys(places) as Kind[]) removed += await purgeKind(kind, now);
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
