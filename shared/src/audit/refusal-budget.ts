const minuteMs = 60_000;

/** How many rows may be written: at once, and in each minute from then on. */
interface RowBudget {
  burst: number;
  perMinute: number;
}

/**
 * Who is known gets a row for each refusal, as long as there are not many: nobody reads more, and each takes some 600 bytes
 * on the disk, indexes included. An afternoon of trying things out has a thousand; what goes on for a day has ten a minute.
 */
const ofOne: RowBudget = { burst: 1_000, perMinute: 10 };
/** All who are known together: 86,400 rows a day, some 50 MB, however many tokens somebody has. */
const ofAll: RowBudget = { burst: 10_000, perMinute: 60 };
/** Actors whose budgets are remembered; one that is forgotten has its burst again, and all together have no more than `ofAll`. */
const rememberedActors = 10_000;

/** Whether refusals of those who are known still get rows of their own. */
export interface RefusalBudget {
  /** Takes one row of the actor's budget and of the one that all share. @returns false where either is used up */
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
