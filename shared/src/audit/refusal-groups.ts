import type { AuditEntry } from '../contracts/index.ts';
import { networkOf } from '../net/index.ts';

const minuteMs = 60_000;
/**
 * Rows a minute for strangers, and the same number for known actors who have used up their own: one a second. Strangers'
 * rows are kept for 7 days, in which a process under constant attack writes 600,000 of them, some 360 MB.
 */
export const groupsPerMinute = 60;
/** Groups of earlier minutes that wait while the database takes no writes. The oldest are dropped. */
const lateGroups = 10 * groupsPerMinute;

/** Refusals that share a row. */
export interface RefusalGroup {
  /** The first refusal of the group: the row shows its details next to the count. */
  readonly entry: AuditEntry;
  /** When the first refusal of its row came, milliseconds since 1970. */
  at: number;
  count: number;
  /** The count that the stored row has; 0 while there is no row. */
  written: number;
  /** The part of the count that earlier rows hold. They were final before the rest could be written. */
  before: number;
  /** Id of the stored row; null while there is no row. */
  number: number | null;
}

/**
 * Decides which refusals share a row.
 *
 * A stranger is a caller whose credential is missing or wrong. Each address (or /64 of IPv6) and action has one row a
 * minute, with the number of refusals. So has a known actor whose own rows are used up. Beyond `groupsPerMinute`, all
 * further refusals of an action share one row without an address. So memory and rows are bounded, however many addresses
 * there are.
 */
export function createRefusalGroups() {
  const takeRow = createRefusalBudget();
  let strangers = new Map<string, RefusalGroup>();
  let known = new Map<string, RefusalGroup>();
  let late: RefusalGroup[] = [];
  let minute = Number.NaN;

  const unwritten = (): RefusalGroup[] =>
    [...late, ...strangers.values(), ...known.values()].filter((group) => group.written < group.count);

  function beginMinute(nowMs: number): void {
    const current = Math.floor(nowMs / minuteMs);
    if (current === minute) return;
    minute = current;
    late = unwritten().slice(-lateGroups);
    strangers = new Map();
    known = new Map();
  }

  return {
    /**
     * @param at milliseconds since 1970
     * @param nowMs by the monotonic clock
     * @returns the group that counts this refusal; null if it gets a row of its own
     */
    count(entry: AuditEntry, at: number, nowMs: number): RefusalGroup | null {
      beginMinute(nowMs);
      const { kind, id } = entry.actor;
      const actor = `${kind} ${id}`;
      if (kind === 'anonymous')
        return countIn(strangers, `${entry.action} ${networkOf(entry.clientIp ?? '')}`, entry, at);
      return takeRow(actor, nowMs) ? null : countIn(known, `${entry.action} ${actor}`, entry, at);
    },
    /** Groups whose stored row lacks some of what was counted. */
    unwritten,
  };
}

function countIn(
  groups: Map<string, RefusalGroup>,
  key: string,
  entry: AuditEntry,
  at: number,
): RefusalGroup {
  // There are a few dozen actions, so these rows are bounded too.
  const restKey = `${entry.action} the rest`;
  const group = groups.get(key) ?? (groups.size < groupsPerMinute ? undefined : groups.get(restKey));
  if (group) {
    group.count++;
    return group;
  }
  const isRest = groups.size >= groupsPerMinute;
  const shown = isRest ? withoutSender(entry) : entry;
  const opened = { entry: shown, at, count: 1, written: 0, before: 0, number: null };
  groups.set(isRest ? restKey : key, opened);
  return opened;
}

function withoutSender(entry: AuditEntry): AuditEntry {
  const { kind } = entry.actor;
  const nobody = { actor: { kind, id: null }, person: null };
  return { ...entry, ...nobody, target: null, names: null, clientIp: null, requestId: null };
}

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

/** @returns takes one row from the actor's budget and one from the shared budget; false where either is used up */
function createRefusalBudget(): (actor: string, nowMs: number) => boolean {
  const takeOfAll = createBucket(ofAll);
  const byActor = new Map<string, typeof takeOfAll>();
  return (actor, nowMs) => {
    let takeOwn = byActor.get(actor);
    if (!takeOwn) {
      const [oldest] = byActor.size >= rememberedActors ? byActor.keys() : [];
      if (oldest !== undefined) byActor.delete(oldest);
      takeOwn = createBucket(ofOne);
      byActor.set(actor, takeOwn);
    }
    return takeOwn(nowMs) && takeOfAll(nowMs);
  };
}

/** @returns takes one row; false where none is left */
function createBucket({ burst, perMinute }: RowBudget): (nowMs: number) => boolean {
  let left = burst;
  let filledAtMs: number | null = null;
  return (nowMs) => {
    if (filledAtMs !== null) left = Math.min(burst, left + ((nowMs - filledAtMs) / minuteMs) * perMinute);
    filledAtMs = nowMs;
    if (left < 1) return false;
    left--;
    return true;
  };
}
