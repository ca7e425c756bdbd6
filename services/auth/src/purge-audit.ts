import type { Clock } from '@latchkey/shared/clock';
import { inUnsyncedTransaction } from '@latchkey/shared/db';
import type { Database } from './own-tables.ts';

/**
 * Rows of one step: 5 to 10 ms on either database, indexes included, so that no request waits longer for the one writer of SQLite.
 * With the pause it removes some 25,000 rows a second, five times what 5,000 acts a second add.
 */
const rowsPerStep = 500;
/** A pause in which requests can write. */
const pauseMs = 10;
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
  let isStopped = false;

  async function purgeKind(kind: Kind): Promise<number> {
    const days = retention[kind];
    if (days === 0) return 0;
    const before = clock.now() - days * dayMs;
    let removed = 0;
    while (!isStopped) {
      const rows = await readAfter(db, places[kind], before);
      const last = rows.at(-1);
      if (!last) break;
      const due = rows.filter((row) => kindOf(row) === kind).map(({ number }) => number);
      if (due.length > 0)
        await inUnsyncedTransaction(db, (tx) => tx.deleteFrom('audit').where('number', 'in', due).execute());
      removed += due.length;
      places[kind] = { at: last.at, number: last.number };
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return removed;
  }

  return {
    async run() {
      let removed = 0;
      for (const kind of Object.keys(places) as Kind[]) removed += await purgeKind(kind);
      return removed;
    },
    stop() {
      isStopped = true;
    },
  };
}

/** Reads by the index of times, whatever the kind, so that a statement never reads more rows than these. */
function readAfter(db: Database, place: Place, before: number) {
  return db
    .selectFrom('audit')
    .select(['number', 'at', 'actor_kind', 'outcome'])
    .where('at', '<', before)
    .where((eb) => eb(eb.refTuple('at', 'number'), '>', eb.tuple(place.at, place.number)))
    .orderBy('at')
    .orderBy('number')
    .limit(rowsPerStep)
    .execute();
}

function kindOf({ actor_kind: actor, outcome }: { actor_kind: string; outcome: string }): Kind {
  if (outcome !== 'refused') return 'actsDays';
  return actor === 'anonymous' ? 'strangersDays' : 'refusalsDays';
}
