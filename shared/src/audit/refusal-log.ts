import type { Clock } from '../clock/index.ts';
import type { AuditEntry } from '../contracts/index.ts';
import type { Database } from '../db/index.ts';
import { toAuditRow } from './write-audit.ts';

/** Long enough to share one disk sync among a flood of refusals, short enough that nobody waits for it. */
const gatherMs = 10;
/** Rows of one statement: nine values each, and SQLite takes 32,766 values (SQLITE_MAX_VARIABLE_NUMBER). */
const rowsPerStatement = 1_000;

/** Audit of what was refused. There is no act to share a transaction with, so refusals share one among themselves. */
export interface RefusalLog {
  /** Resolves once the refusal is stored; also where it could not be, which the operator's log then says. */
  record(entry: AuditEntry): Promise<void>;
}

/**
 * Gathers refusals and writes them together, at most one commit for each `gatherMs`: someone who hammers the server with
 * wrong keys then costs it a hundred commits a second and not one for each request.
 */
export function createRefusalLog(db: Database, clock: Clock, onFault: (error: unknown) => void): RefusalLog {
  let pending: { entry: AuditEntry; at: number }[] = [];
  let written: Promise<void> | null = null;

  async function flush(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, gatherMs));
    const rows = pending.map(({ entry, at }) => toAuditRow(entry, at));
    pending = [];
    written = null;
    try {
      await db.transaction().execute(async (tx) => {
        for (let start = 0; start < rows.length; start += rowsPerStatement) {
          await tx
            .insertInto('audit')
            .values(rows.slice(start, start + rowsPerStatement))
            .execute();
        }
      });
    } catch (error) {
      onFault(error);
    }
  }

  return {
    record(entry) {
      pending.push({ entry, at: clock.now() });
      written ??= flush();
      return written;
    },
  };
}
