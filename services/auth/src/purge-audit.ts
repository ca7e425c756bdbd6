import type { ChainName } from '@latchkey/shared/audit';
import type { Clock } from '@latchkey/shared/clock';
import { createPurgeClock, getAsideWriter, runPaced } from '@latchkey/shared/db';
import { cutAudit } from './cut-audit.ts';
import type { Database } from './own-tables.ts';

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
  const aside = getAsideWriter(db);
  const readPurgeTime = createPurgeClock({ db, clock, onClockStep });
  const stopping = new AbortController();
  async function purgeKind(kind: Kind, now: number): Promise<number> {
    const days = retention[kind];
    if (days === 0) return 0;
    const before = now - days * dayMs;
    let removed = 0;
    let last = 0;
    const onStep = (heldMs: number) => observe?.('audit', last, heldMs);
    const chain = chainOfKind[kind];
    const step = async (limit: number) => {
      last = await cutAudit(db, chain, { before, now: clock.now(), limit });
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
      for (const kind of Object.keys(chainOfKind) as Kind[]) removed += await purgeKind(kind, now);
      return removed;
    },
    stop() {
      stopping.abort();
    },
  };
}
