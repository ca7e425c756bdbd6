const minuteMs = 60_000;

/** How many rows may be written: at once, and in each minute from then on. */
interface RowBudget {
  burst: number;
  perMinute: number;
}

/**
 * A known actor gets a row for each refusal while there are few. Each row takes some 600 bytes on disk, indexes included.
 * An afternoon of experiments makes about a thousand; a constant stream gets ten a minute.
 */
const ofOne: RowBudget = { burst: 1_000, perMinute: 10 };
/** All known actors together: 86,400 rows a day, some 50 MB, however many tokens one person has. */
const ofAll: RowBudget = { burst: 10_000, perMinute: 60 };
/** Actors whose budgets are remembered. A forgotten actor gets a new burst, but all actors together never exceed `ofAll`. */
const rememberedActors = 10_000;

/** Whether refusals of known actors still get rows of their own. */
export interface RefusalBudget {
  /** Takes one row from the actor's budget and one from the shared budget. @returns false where either is used up */
  take(actor: string, nowMs: number): boolean;
}

export function createRefusalBudget(): RefusalBudget {
  const all = createBucket(ofAll);
  const byActor = new Map<string, Bucket>();
  return {
    take(actor, nowMs) {
      let own = byActor.get(actor);
      if (!own) {
        const [oldest] = byActor.size >= rememberedActors ? byActor.keys() : [];
        if (oldest !== undefined) byActor.delete(oldest);
        own = createBucket(ofOne);
        byActor.set(actor, own);
      }
      return own.take(nowMs) && all.take(nowMs);
    },
  };
}

interface Bucket {
  take(nowMs: number): boolean;
}

function createBucket({ burst, perMinute }: RowBudget): Bucket {
  let left = burst;
  let filledAtMs: number | null = null;
  return {
    take(nowMs) {
      if (filledAtMs !== null) left = Math.min(burst, left + ((nowMs - filledAtMs) / minuteMs) * perMinute);
      filledAtMs = nowMs;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
