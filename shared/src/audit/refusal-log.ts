import type { Clock } from '../clock/clock.ts';
import type { AuditEntry } from '../contracts/index.ts';
import type { Database } from '../db/index.ts';
import { toAuditRow } from './audit-row.ts';
import { createRefusalGroups, type RefusalGroup } from './refusal-groups.ts';

/** Long enough for a flood of refusals to share one disk sync, short enough that no caller notices the wait. */
const gatherMs = 10;
/** How late the number in a counting row may be. */
const countEveryMs = 1_000;
/**
 * How long a row grows. A group is counted for a minute, and its number is written a second later. After two minutes a row is read as final
 * (`services/auth/src/read-final-rows.ts`).
 */
const growsForMs = 90_000;
/** How long an answer waits for its row. Well under the gateway's 7 s: the refusal is sent even without a row. */
const patienceMs = 1_000;
/** Rows of one statement: twelve values each, and SQLite takes 32,766 values (SQLITE_MAX_VARIABLE_NUMBER). */
const rowsPerStatement = 1_000;

/** Audit of refusals. A refusal has no act whose transaction it could join, so refusals share transactions among themselves. */
export interface RefusalLog {
  /**
   * Resolves once a row covers the refusal: its own, or one that counts several. Also resolves after a second without a
   * row, and where the database refuses the row (the operator's log then says so).
   */
  record(entry: AuditEntry): Promise<void>;
  /** Writes what was counted but not yet written, or resolves after a second without success. Never rejects. */
  settle(): Promise<void>;
}

/**
 * Gathers refusals and writes them together, at most one commit for each `gatherMs`. Strangers' refusals are counted
 * (`createRefusalGroups`), so a flood of wrong keys costs one row a minute for each address and one update a second.
 *
 * @param onFault called for each failed attempt to write. Individual rows are then lost; counts are tried again
 */
export function createRefusalLog(db: Database, clock: Clock, onFault: (error: unknown) => void): RefusalLog {
  const groups = createRefusalGroups();
  let pending: { entry: AuditEntry; at: number }[] = [];
  let gathering: Promise<void> | null = null;
  let countTimer: NodeJS.Timeout | null = null;
  /** One transaction after another, so that no group gets two rows. */
  let writing: Promise<void> = Promise.resolve();

  function writeAll(): Promise<void> {
    writing = writing.then(async () => {
      const rows = pending;
      pending = [];
      const behind = groups.unwritten();
      if (rows.length + behind.length === 0) return;
      try {
        await writeRefusals(db, rows, behind, clock.now());
      } catch (error) {
        onFault(error);
      }
    });
    return writing;
  }

  /** Waits at most `patienceMs`, whatever the database does. */
  async function gather(): Promise<void> {
    await pause(gatherMs);
    gathering = null;
    await Promise.race([writeAll(), pause(patienceMs)]);
  }

  return {
    async record(entry) {
      const at = clock.now();
      const group = groups.count(entry, at, clock.monotonic());
      if (group === null) pending.push({ entry, at });
      else if (group.number !== null) {
        countTimer ??= setTimeout(() => {
          countTimer = null;
          void writeAll();
        }, countEveryMs).unref();
        return;
      }
      gathering ??= gather();
      await gathering;
    },
    async settle() {
      if (countTimer) clearTimeout(countTimer);
      countTimer = null;
      await Promise.race([writeAll(), pause(patienceMs)]);
    },
  };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

async function writeRefusals(
  db: Database,
  rows: readonly { entry: AuditEntry; at: number }[],
  groups: readonly RefusalGroup[],
  now: number,
): Promise<void> {
  // More refusals are counted while this waits.
  const counted = groups.map((group) => ({ ...group, group }));
  await db.transaction().execute(async (tx) => {
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      const part = rows.slice(start, start + rowsPerStatement);
      await tx
        .insertInto('audit')
        .values(part.map(({ entry, at }) => toAuditRow(entry, at)))
        .execute();
    }
    for (const each of counted) {
      const { group, count, number } = each;
      if (number !== null && each.at > now - growsForMs) {
        const own = count - each.before;
        await tx.updateTable('audit').set({ count: own }).where('number', '=', number).execute();
        continue;
      }
      // Where the database took no writes for a while, the row may have been read as final: the rest of the count gets one of its own.
      if (number !== null) Object.assign(each, { at: now, before: group.written });
      const values = { ...toAuditRow(group.entry, each.at), count: count - each.before };
      const query = tx.insertInto('audit').values(values).returning('number');
      each.number = (await query.executeTakeFirstOrThrow()).number;
    }
  });
  for (const { group, count, at, number, before } of counted)
    Object.assign(group, { at, number, before, written: count } satisfies Partial<RefusalGroup>);
}
