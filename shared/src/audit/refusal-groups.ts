import type { AuditEntry } from '../contracts/index.ts';
import { networkOf } from '../net/index.ts';
import { createRefusalBudget } from './refusal-budget.ts';

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
  /** The first refusal of the group: the row shows its details beside the number. */
  readonly entry: AuditEntry;
  /** When the first refusal came, milliseconds since 1970. */
  readonly at: number;
  count: number;
  /** The count that the stored row has; 0 while there is no row. */
  written: number;
  /** Id of the stored row; null while there is no row. */
  number: number | null;
}

/** Decides which refusals share a row. */
export interface RefusalGroups {
  /**
   * @param at milliseconds since 1970
   * @param nowMs by the monotonic clock
   * @returns the group that counts this refusal; null where it gets a row of its own
   */
  count(entry: AuditEntry, at: number, nowMs: number): RefusalGroup | null;
  /** Groups whose stored row lacks some of what was counted. */
  unwritten(): RefusalGroup[];
}

/**
 * A stranger is a caller whose credential is missing or wrong. Each address (or /64 of IPv6) and action has one row a
 * minute, with the number of refusals. So has a known actor whose own rows are used up. Beyond `groupsPerMinute`, all
 * further refusals of an action share one row without an address. So memory and rows are bounded, however many addresses
 * there are.
 */
export function createRefusalGroups(): RefusalGroups {
  const budget = createRefusalBudget();
  let strangers = new Map<string, RefusalGroup>();
  let known = new Map<string, RefusalGroup>();
  let late: RefusalGroup[] = [];
  let minute = Number.NaN;

  const unwritten = () =>
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
    count(entry, at, nowMs) {
      beginMinute(nowMs);
      const { kind, id } = entry.actor;
      const actor = `${kind} ${id}`;
      if (kind === 'anonymous')
        return countIn(strangers, `${entry.action} ${networkOf(entry.clientIp ?? '')}`, entry, at);
      return budget.take(actor, nowMs) ? null : countIn(known, `${entry.action} ${actor}`, entry, at);
    },
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
  const opened = { entry: shown, at, count: 1, written: 0, number: null };
  groups.set(isRest ? restKey : key, opened);
  return opened;
}

function withoutSender(entry: AuditEntry): AuditEntry {
  const { kind } = entry.actor;
  return { ...entry, actor: { kind, id: null }, target: null, clientIp: null, requestId: null };
}
