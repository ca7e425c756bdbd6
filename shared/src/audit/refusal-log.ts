import type { Clock } from '../clock/index.ts';
import type { AuditEntry } from '../contracts/index.ts';
import { createTableCheck, type Database } from '../db/index.ts';
import { createRefusalGroups, type RefusalGroup } from './refusal-groups.ts';
import { toAuditRow } from './write-audit.ts';

/** Long enough to share one disk sync among a flood of refusals, short enough that nobody waits for it. */
const gatherMs = 10;
/** How late the number in a row that counts may be. */
const countEveryMs = 1_000;
/** How long an answer waits for its row. Well under the 7 s of the gateway: a refusal is answered all the same. */
const patienceMs = 1_000;
/** Rows of one statement: ten values each, and SQLite takes 32,766 values (SQLITE_MAX_VARIABLE_NUMBER). */
const rowsPerStatement = 1_000;

/** Audit of what was refused. There is no act to share a transaction with, so refusals share one among themselves. */
export interface RefusalLog {
  /**
   * Resolves once there is a row for the refusal: its own, or one that counts several. Also resolves after a second without
   * one, and where the database refuses it, which the operator's log then says.
   */
  record(entry: AuditEntry): Promise<void>;
  /** Writes what was counted and not written yet, or resolves after a second without. Never rejects. */
  settle(): Promise<void>;
}

/**
 * Gathers refusals and writes them together, at most one commit for each `gatherMs`. Those of strangers are counted
 * (`createRefusalGroups`), so a flood of wrong keys costs a row a minute for each address and an update a second.
 *
 * @param onFault is called for each attempt to write that failed. Rows of their own are then lost, counts are tried again
 */
export function createRefusalLog(db: Database, clock: Clock, onFault: (error: unknown) => void): RefusalLog {
  const groups = createRefusalGroups();
  // The column came with this table (migration 0005), and this code runs before it, too.
  const counts = createTableCheck('audit_cleaning');
  let pending: { entry: AuditEntry; at: number }[] = [];
  let gathering: Promise<void> | null = null;
  let countTimer: NodeJS.Timeout | null = null;
  /** One transaction after the other, so that no group gets two rows. */
  let writing: Promise<void> = Promise.resolve();

  function writeAll(): Promise<void> {
    writing = writing.then(async () => {
      const rows = pending;
      pending = [];
      const behind = groups.unwritten();
      if (rows.length + behind.length === 0) return;
      try {
        await writeRefusals(db, await counts.isThere(db), rows, behind);
      } catch (error) {
        onFault(error);
      }
    });
    return writing;
  }

  /** At most `patienceMs`, whatever the database does. */
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
  hasCount: boolean,
  rows: readonly { entry: AuditEntry; at: number }[],
  groups: readonly RefusalGroup[],
): Promise<void> {
  // Refusals go on being counted while this waits.
  const counted = groups.map((group) => ({ group, count: group.count, number: group.number }));
  await db.transaction().execute(async (tx) => {
    for (let start = 0; start < rows.length; start += rowsPerStatement) {
      const part = rows.slice(start, start + rowsPerStatement);
      await tx
        .insertInto('audit')
        .values(part.map(({ entry, at }) => toAuditRow(entry, at)))
        .execute();
    }
    for (const each of counted) {
      const { group, count } = each;
      const values = { ...toAuditRow(group.entry, group.at), ...(hasCount && { count }) };
      if (each.number === null) {
        const query = tx.insertInto('audit').values(values).returning('number');
        each.number = (await query.executeTakeFirstOrThrow()).number;
      } else if (hasCount) {
        await tx.updateTable('audit').set({ count }).where('number', '=', each.number).execute();
      }
    }
  });
  for (const { group, count, number } of counted) {
    group.number = number;
    group.written = count;
  }
}
