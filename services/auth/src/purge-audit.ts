import type { Clock } from '@latchkey/shared/clock';
import { createPurgeClock, getAsideWriter, isPostgres, runPaced } from '@latchkey/shared/db';
import { sql } from 'kysely';
import type { Database } from './own-tables.ts';

const dayMs = 86_400_000;

/** How long rows are kept, in days; 0 keeps them always. */
interface AuditRetention {
  /** Rows of acts that were done. */
  actsDays: number;
  /** Rows of refusals of an API key or a viewer. */
  refusalsDays: number;
  /** Rows of refusals without a valid credential. */
  strangersDays: number;
}

type Kind = keyof AuditRetention;

/** The value of `kindOfRow` for each kind of row. */
const kinds: Record<Kind, string> = {
  actsDays: 'acts',
  refusalsDays: 'refusals',
  strangersDays: 'strangers',
};

/** The text of the index `audit_by_kind_at`: another one would not be found in it. */
const kindOfRow = sql.raw(
  `case when outcome <> 'refused' then 'acts' when actor_kind = 'anonymous' then 'strangers' else 'refusals' end`,
);

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
  /** The number of the first row that is still to be forwarded: it and all later rows stay. */
  readFirstKept?: () => Promise<number>;
  /** See `createPurgeClock`. */
  onClockStep?: ((waitMs: number) => void) | undefined;
  /** Called after each step: what it removed, and how long it may have held its locks. */
  observe?: (table: 'audit', rows: number, heldMs: number) => void;
}

export function createAuditPurge({
  db,
  clock,
  retention,
  readFirstKept,
  observe,
  onClockStep,
}: AuditPurgeOptions): AuditPurge {
  const aside = getAsideWriter(db);
  const readPurgeTime = createPurgeClock({ db, clock, onClockStep });
  const stopping = new AbortController();
  async function purgeKind(kind: Kind, now: number, below: number): Promise<number> {
    const days = retention[kind];
    if (days === 0) return 0;
    const before = now - days * dayMs;
    let removed = 0;
    let last = 0;
    const onStep = (heldMs: number) => observe?.('audit', last, heldMs);
    const step = async (limit: number) => {
      last = await removeSome(db, { kind: kinds[kind], before, below, limit });
      removed += last;
      return last > 0;
    };
    await runPaced(db, { clock, signal: stopping.signal, step, isAside: aside !== null, onStep });
    return removed;
  }

  return {
    async run() {
      let removed = 0;
      const now = await readPurgeTime();
      const below = (await readFirstKept?.()) ?? Number.MAX_SAFE_INTEGER;
      for (const kind of Object.keys(kinds) as Kind[]) removed += await purgeKind(kind, now, below);
      return removed;
    },
    stop() {
      stopping.abort();
    },
  };
}

/** @returns how many rows were removed; 0 where none is due */
async function removeSome(
  db: Database,
  { kind, before, below, limit }: { kind: string; before: number; below: number; limit: number },
): Promise<number> {
  if (isPostgres(db)) {
    const { rows } = await sql<{ removed: number }>`
      select audit_purge(${kind}, ${before}::bigint, ${below}::bigint, ${limit}::integer) as removed`.execute(
      db,
    );
    return Number(rows[0]?.removed);
  }
  // SQLite would give the highest number to the next row again, and a reader that continues from there would miss that row.
  const { numAffectedRows } = await sql`
    delete from audit where number in (
      select number from audit where (${kindOfRow}) = ${kind} and at < ${before}
        and number < min(${below}, (select max(number) from audit)) order by at limit ${limit})`.execute(
    (getAsideWriter(db) as Database | null) ?? db,
  );
  return Number(numAffectedRows);
}
